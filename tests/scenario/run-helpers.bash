# Shared by the scenarios of the harness.
# shellcheck shell=bash disable=SC2154

PEERS="$BATS_TEST_DIRNAME/../peers"

# manifest NAME PROTOCOL CLASS CALLS ARGUMENT…: prints a contestant; CALLS is JSON.
manifest() {
	local name=$1 protocol=$2 class=$3 calls=$4 arguments=
	shift 4
	local argument
	for argument in "$@"; do
		arguments="$arguments, \"$argument\""
	done
	local program=http_peer.py
	[ "$protocol" = thrift ] && program=thrift_peer.py
	printf '{"name": "%s", "protocol": "%s", "class": "%s", "calls": %s,\n' \
		"$name" "$protocol" "$class" "$calls"
	printf ' "command": ["/usr/bin/python3", "%s/%s", "--port", "{port}"%s]}\n' \
		"$PEERS" "$program" "$arguments"
}

# list MANIFEST…: joins them into a JSON list.
list() {
	local separator='[' one
	for one in "$@"; do
		printf '%s%s' "$separator" "$one"
		separator=,
	done
	printf ']'
}

# expect_status N: checks $status of `run`, and shows the output when it is another.
expect_status() {
	[ "$status" -eq "$1" ] || {
		echo "status $status, expected $1; output:"
		echo "$output"
		return 1
	}
}

# expect_line TEXT: checks that $output has a line with this text.
expect_line() {
	grep -qF -- "$1" <<<"$output" || {
		echo "no line with: $1"
		echo "output:"
		echo "$output"
		return 1
	}
}

# eventually COMMAND…: repeats it until it succeeds, for 20 s at most.
eventually() {
	for _ in $(seq 400); do
		"$@" && return 0
		sleep 0.05
	done
	echo "never came true: $*"
	[ -z "${said:-}" ] || cat "$said"
	return 1
}
