# grpc-core, called by Python's grpcio, and by peers that mean ill.

load helper

teardown() {
	stop_all
}

# python SCRIPT TEST [OPTION]...: a test of a client, against a server with these options. The
# server ends well, and what was sent to it has not made it print.
python() {
	local here=$BATS_TEST_DIRNAME
	start "$RPCBENCH_BIN/grpc-core" --port 0 "${@:3}"
	PYTHONPATH=$here/../../build/gen/py /usr/bin/python3 "$here/$1" "$2" "$port" "$pid" 3>&-
	stop
	[ "$(cat "$server_log")" = "READY port=$port" ]
}

# common TEST [OPTION]...: a test that is the same for all gRPC servers.
common() {
	python grpc_client.py "$@"
}

# own TEST [OPTION]...
own() {
	python grpc_core_client.py "$@"
}

@test "Python's library calls all methods" {
	common calls
	own cities
}

@test "many calls at once, on one thread and on two" {
	common many
	common many --threads 2
}

@test "errors have their codes" {
	common errors
}

@test "limits are RESOURCE_EXHAUSTED" {
	common body_limit --body-limit 1000
	common header_limit
	own large
}

@test "an unknown method is UNIMPLEMENTED" {
	own unknown_method
}

@test "a message that does not decode is INVALID_ARGUMENT" {
	own undecodable
	own no_message
}

@test "deadlines end calls, at the client and at the server" {
	own client_deadline
	own server_deadline
	common given_up
}

@test "peers that do not read hold nobody up" {
	own blocked_peers
}

@test "cancelled calls leave nothing behind" {
	export ASAN_OPTIONS=quarantine_size_mb=1
	own cancelled
}

@test "garbage does no harm" {
	own garbage
}

# A call whose request is not whole by then is refused, by gRPC core itself, with UNAVAILABLE.
@test "a drain finishes the call that has begun" {
	own drain
}

@test "peers that neither read nor write do not hold up the end" {
	own stop
	own stop --threads 2
}

@test "bad options, a taken port and a host of no address are refused" {
	run "$RPCBENCH_BIN/grpc-core" --body-limit x
	[ "$status" = 2 ]
	run "$RPCBENCH_BIN/grpc-core" --help
	[ "$status" = 0 ]
	start "$RPCBENCH_BIN/grpc-core" --port 0
	for threads in 1 2; do
		run "$RPCBENCH_BIN/grpc-core" --port "$port" --threads "$threads"
		[ "$status" = 1 ]
		[ "$output" = "grpc-core: cannot listen on 127.0.0.1 port $port: Address already in use" ]
	done
	stop
}
