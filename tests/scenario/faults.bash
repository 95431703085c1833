# Shared by the scenarios of faults: after run-helpers.
# shellcheck shell=bash disable=SC2154

strangers=()
harnesses_started=()

faults_setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	record=$out/tiny.json
	# Notes on runs: of this test alone.
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR
}

marked() {
	pgrep -f -- "--mark $BATS_TEST_TMPDIR( |\$)"
}

none_is_left() {
	! marked >"$BATS_TEST_TMPDIR/left"
}

# Nothing may be left; after a test that failed, its runs and strangers are ended.
faults_teardown() {
	local status=0
	none_is_left || {
		echo "left running: $(cat "$BATS_TEST_TMPDIR/left")"
		status=1
	}
	kill -KILL "${harnesses_started[@]}" "${strangers[@]}" 2>/dev/null || true
	eventually none_is_left
	return $status
}

# faulty NAME ARGUMENT…: an HTTP peer that misbehaves so.
faulty() {
	local name=$1
	shift
	jq -n --arg name "$name" --arg peer "$PEERS/http_peer.py" --arg mark "$BATS_TEST_TMPDIR" \
		'{name: $name, protocol: "http1", class: "stock",
		calls: {find_one: {url: "/test"}}, command: (["/usr/bin/python3", $peer, "--mark",
		$mark, "--port", "{port}"] + $ARGS.positional)}' --args -- "$@"
}

# fixed NAME PORT [ARGUMENT…]: one that listens on PORT of 127.0.0.1.
fixed() {
	faulty "$1" "${@:3}" | jq --argjson port "$2" '. + {port: $port}'
}

# command_of NAME COMMAND…
command_of() {
	local name=$1
	shift
	jq -n --arg name "$name" '{name: $name, protocol: "http1", class: "stock",
		calls: {find_one: {url: "/test"}}, command: $ARGS.positional}' --args -- "$@"
}

# stranger ADDRESS [PORT]: somebody who listens there on $port; stop_strangers ends all.
stranger() {
	local said="$BATS_TEST_TMPDIR/stranger.${#strangers[@]}"
	/usr/bin/python3 -c 'import socket, sys, time
s = socket.create_server((sys.argv[1], int(sys.argv[2])), reuse_port=True,
    family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET,
    dualstack_ipv6=sys.argv[1] == "::")
print(s.getsockname()[1], flush=True)
time.sleep(100)' "$1" "${2:-0}" >"$said" 3>&- &
	strangers+=($!)
	eventually test -s "$said"
	port=$(cat "$said")
}

stop_strangers() {
	kill "${strangers[@]}"
	wait "${strangers[@]}" || true
	stopped=("${strangers[@]}")
	strangers=()
}

# round CONTESTANT…: writes a short round of them, and of nobody else in the manifest, to a new
# $round_file: a run before may still read its own.
round() {
	local IFS=,
	only=$*
	round_file=$(mktemp -p "$BATS_TEST_TMPDIR" round-XXXXXX.json)
	jq -n '{name: "tiny", title: "Tiny", call: "find_one", contestants: $ARGS.positional,
		levels: [{connections: 2, pipeline: 1}], trials: 2, duration: "200ms",
		warmup: "50ms", timeout: ($ENV.ROUND_TIMEOUT // "5s")}' --args "$@" >"$round_file"
}

run_round() {
	run "$RPCBENCH_BIN/rpcbench" run "$round_file" --manifest "$file" \
		--out "$out" --only "$only" "$@"
}

# start_round ARGUMENT…: in the background; sets $harness. Its output is in $said.
start_round() {
	said=$BATS_TEST_TMPDIR/said.$RANDOM
	"$RPCBENCH_BIN/rpcbench" run "$round_file" --manifest "$file" \
		--out "$out" --only "$only" "$@" >"$said" 2>&1 3>&- &
	harness=$!
	harnesses_started+=("$harness")
}

# failure NAME: why this row failed, from the record.
failure() {
	jq -r --arg name "$1" '.contestants[] | select(.name == $name) | .summary.failure' "$record"
}

# expect_failure NAME PATTERN: this row failed for this reason; "null": it did not.
expect_failure() {
	# shellcheck disable=SC2053
	[[ "$(failure "$1")" == $2 ]] || {
		echo "failure of $1: $(failure "$1"), expected $2"
		return 1
	}
}

# trial NAME FILTER: checks its last trial.
trial() {
	jq -e --arg name "$1" ".contestants[] | select(.name == \$name) | .trials[-1] | $2" "$record" || {
		jq -c --arg name "$1" '.contestants[] | select(.name == $name) | .trials[-1] |
			del(.histogram, .series)' "$record"
		return 1
	}
}
