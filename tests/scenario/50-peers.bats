# What make bench compares with answers what our servers answer. null-epoll and nginx are always
# there; peers that are not built, or whose program is not installed, are skipped.

load helper

teardown() {
	stop_all
}

# verify NAME: the harness starts the peer by its manifest and checks all its calls.
verify() {
	run "$RPCBENCH_BIN/rpcbench" verify "$1"
	[[ $output != *"FAILED  $1: needs "* ]] || skip "$output"
	echo "$output"
	[ "$status" = 0 ]
}

@test "null-epoll answers, by the harness and by curl" {
	verify null-epoll
	start "$RPCBENCH_BIN/null-epoll" --port 0
	run curl -sS "http://127.0.0.1:$port/" "http://127.0.0.1:$port/"
	[ "$output" = "Hello worldHello world" ]
}

@test "null-epoll counts requests that come in any pieces" {
	start "$RPCBENCH_BIN/null-epoll" --port 0
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
	start "$RPCBENCH_BIN/http-hello" --port 0
	hello=$(curl -si "http://127.0.0.1:$port/" | wc -c)
	start "$RPCBENCH_BIN/null-epoll" --port 0
	[ "$(curl -si "http://127.0.0.1:$port/" | wc -c)" = "$hello" ]
}

@test "nginx answers, by the harness and by curl, and leaves no directory behind" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	verify nginx
	[ -z "$(ls "$TMPDIR")" ]
	port=$(/usr/bin/python3 -c 'import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
	conf=$BATS_TEST_DIRNAME/../../peers/nginx/nginx.conf
	"$BATS_TEST_DIRNAME/../../peers/run-conf" "$conf" "$port" \
		nginx -e stderr -g 'daemon off;' -c >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	pid=$!
	started+=("$pid")
	for _ in {1..100}; do
		body=$(curl -s "http://127.0.0.1:$port/") && break
		sleep 0.05
	done
	[ "$body" = "Hello world" ]
	[ -n "$(ls "$TMPDIR")" ]
	stop
	[ -z "$(ls "$TMPDIR")" ]
}

@test "h2o answers" {
	verify h2o
}

@test "libmicrohttpd answers" {
	verify libmicrohttpd
}

@test "go-echo answers" {
	verify go-echo
}

@test "node-koa answers" {
	verify node-koa
}

@test "node-thrift answers, framed and buffered" {
	verify node-thrift-framed
	verify node-thrift-binary
}

@test "node-proxy answers, by each leg" {
	verify node-proxy-rest
	verify node-proxy-grpc
}

@test "cpp-thrift answers, framed and buffered" {
	verify cpp-thrift-nonblocking
	verify cpp-thrift-threaded
}

@test "grpc-cpp answers" {
	verify grpc-cpp
}

@test "grpc-go answers" {
	verify grpc-go
}
