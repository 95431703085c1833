# What make bench compares with answers what our servers answer. Peers that are not built, or
# whose program is not installed, are skipped; null-epoll and nginx are always there.

ROOT=$BATS_TEST_DIRNAME/../..

# start NAME: runs the peer as its manifest says; sets $port. Skips when something is missing.
start() {
	contestant=$(jq -c --arg name "$1" '[.] | flatten | .[] | select(.name == $name)' \
		"$ROOT"/peers/*/contestant.json)
	[ -n "$contestant" ]
	dir=$(dirname "$(grep -l "\"name\": \"$1\"" "$ROOT"/peers/*/contestant.json)")
	port=$(/usr/bin/python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
	expand "$(jq -r '.command[0], .requires[]?' <<<"$contestant")"
	for need in "${expanded[@]}"; do
		command -v "$need" >/dev/null || [ -f "$need" ] || skip "$need is missing"
	done
	expand "$(jq -r '.env // {} | to_entries[] | "\(.key)=\(.value)"' <<<"$contestant")"
	local env=("${expanded[@]}")
	expand "$(jq -r '.command[]' <<<"$contestant")"
	env "${env[@]}" "${expanded[@]}" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	pid=$!
	for _ in {1..100}; do
		curl -s -o /dev/null "http://127.0.0.1:$port/" && return
		kill -0 "$pid" || break
		sleep 0.05
	done
	cat "$BATS_TEST_TMPDIR/log" >&2
	false
}

# expand LINES: into the array expanded, with the placeholders of manifests replaced.
expand() {
	mapfile -t expanded < <(sed -e "s|{bin}|$RPCBENCH_BIN|g" -e "s|{root}|$ROOT|g" \
		-e "s|{dir}|$dir|g" -e "s|{port}|$port|g" -e "s|{threads}|1|g" -e '/^$/d' <<<"$1")
}

teardown() {
	[ -z "$pid" ] || kill "$pid"
	[ -z "$pid" ] || wait "$pid" || true
}

# answers CALL: the reply to the manifest's URL is the one that protos/expect gives.
answers() {
	local url
	url=$(jq -r --arg call "$1" '.calls[$call].url' <<<"$contestant")
	curl -sS --fail "http://127.0.0.1:$port$url" >"$BATS_TEST_TMPDIR/reply"
	jq -ecS .reply "$ROOT/protos/expect/$1.json" >"$BATS_TEST_TMPDIR/expected"
	if [ "$(head -c 1 "$BATS_TEST_TMPDIR/expected")" = '"' ]; then
		cmp "$BATS_TEST_TMPDIR/reply" <(jq -j .reply "$ROOT/protos/expect/$1.json")
	else
		jq -cS . "$BATS_TEST_TMPDIR/reply" | cmp - "$BATS_TEST_TMPDIR/expected"
	fi
}

@test "null-epoll answers, on one connection after the other" {
	start null-epoll
	answers hello
	answers hello
}

@test "null-epoll counts requests that come in any pieces" {
	start null-epoll
	size=$(curl -si "http://127.0.0.1:$port/" | wc -c)
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	for piece in 'GET / HTTP/1.1\r' '\n\r' '\nGET / HTTP/1.1\r\n\r\r\n\r\n' 'x\r\n\r\n'; do
		printf '%b' "$piece" >&5
		sleep 0.02
	done
	[ "$(timeout 5 head -c $((3 * size)) <&5 | wc -c)" = $((3 * size)) ]
	run timeout 0.2 head -c 1 <&5
	[ "$status" = 124 ]
	exec 5>&-
}

@test "null-epoll sends as many bytes as http-hello" {
	[ -x "$RPCBENCH_BIN/http-hello" ] || skip "http-hello is missing"
	start null-epoll
	"$RPCBENCH_BIN/http-hello" --port 0 >"$BATS_TEST_TMPDIR/hello" 3>&- &
	hello=$!
	until grep -q READY "$BATS_TEST_TMPDIR/hello"; do sleep 0.02; done
	hello_port=$(sed 's/READY port=//' "$BATS_TEST_TMPDIR/hello")
	ours=$(curl -si "http://127.0.0.1:$hello_port/" | wc -c)
	kill "$hello"
	[ "$(curl -si "http://127.0.0.1:$port/" | wc -c)" = "$ours" ]
}

@test "nginx answers and leaves no directory behind" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	start nginx
	answers hello
	answers plaintext
	[ -n "$(ls "$TMPDIR")" ]
	kill "$pid"
	wait "$pid"
	pid=
	[ -z "$(ls "$TMPDIR")" ]
}

@test "h2o answers" {
	start h2o
	answers hello
	answers plaintext
}

@test "libmicrohttpd answers" {
	start libmicrohttpd
	answers hello
	answers plaintext
}

@test "go-echo answers" {
	start go-echo
	answers hello
	answers plaintext
	answers message
	answers find_one
}

@test "node-koa answers" {
	start node-koa
	answers hello
	answers plaintext
	answers message
	answers find_one
}
