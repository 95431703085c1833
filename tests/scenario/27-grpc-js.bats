# Both gRPC servers, called by Node's own implementation of gRPC.

load helper

HERE=$BATS_TEST_DIRNAME

setup() {
	command -v node >/dev/null || skip "node is not installed"
	[ -f "$HERE/../../build/npm/grpc-js/stamp" ] || skip "scripts/setup-npm tests/grpc-js was not run"
}

teardown() {
	stop_all
}

# client TEST [OPTION]...: a test of the client against both servers with these options. They end
# well, and what was sent to them has not made them print.
client() {
	local servers=() logs=() name
	for name in grpc-nghttp2 grpc-core; do
		start "$RPCBENCH_BIN/$name" --port 0 "${@:2}"
		servers+=("$name:$port:$pid")
		logs+=("$server_log")
	done
	NODE_PATH=$HERE/../../build/npm/grpc-js/node_modules timeout 60 \
		node "$HERE/grpc_client.js" "$1" "${servers[@]}" 3>&-
	for pid in "${started[@]}"; do
		stop
	done
	[ "$(cat "${logs[@]}" | grep -vc '^READY port=[0-9]*$')" = 0 ]
}

@test "all methods" {
	client calls
}

@test "many calls at once over one connection" {
	client many
}

@test "errors have their codes" {
	client errors
}

@test "messages over --body-limit are RESOURCE_EXHAUSTED" {
	client body_limit --body-limit 1000
}

@test "metadata is taken, and too much of it refused" {
	client metadata
}

@test "calls that were cancelled, or too late, harm nobody" {
	client given_up
}

@test "SIGTERM finishes what is in flight" {
	client drain
}
