# grpc-nghttp2, called by clients that are not ours, and by peers that mean ill.

bats_require_minimum_version 1.5.0
load helper

HERE=$BATS_TEST_DIRNAME

teardown() {
	stop_all
}

# serve [OPTION]...: starts the server on a free port
serve() {
	start "$RPCBENCH_BIN/grpc-nghttp2" --port 0 "$@"
}

# python SCRIPT TEST [OPTION]...: a test of a client against the server with these options,
# which must end well and have printed nothing.
python() {
	serve "${@:3}"
	PYTHONPATH=$HERE/../../build/gen/py timeout 60 /usr/bin/python3 "$HERE/$1" "$2" "$port" "$pid"
	stop
	[ "$(cat "$server_log")" = "READY port=$port" ]
}

@test "Python's gRPC library calls all methods" {
	python grpc_client.py calls
}

@test "many calls at once" {
	python grpc_client.py many --threads 2
}

@test "errors have their codes" {
	python grpc_client.py errors
}

@test "messages over --body-limit are RESOURCE_EXHAUSTED" {
	python grpc_client.py body_limit --body-limit 1000
}

@test "fields over --header-limit are RESOURCE_EXHAUSTED" {
	python grpc_client.py header_limit
}

@test "SIGTERM finishes what is in flight" {
	python grpc_client.py drain
}
