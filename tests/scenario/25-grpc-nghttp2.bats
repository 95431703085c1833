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

@test "calls that were cancelled, or too late, harm nobody" {
	python grpc_client.py given_up
}

@test "SIGTERM finishes what is in flight" {
	python grpc_client.py drain
}

@test "peers that do not read cost little memory" {
	export ASAN_OPTIONS=quarantine_size_mb=1
	python h2_raw.py slow_readers
}

@test "floods end their connection" {
	python h2_raw.py floods
}

@test "a preface and a header block have their time" {
	python h2_raw.py header_timeout --header-timeout 100ms
}

@test "a connection that idles is told before it is closed" {
	python h2_raw.py idle_timeout --idle-timeout 100ms
}

@test "a drain says goodbye twice" {
	python h2_raw.py drain
}

@test "peers that answer nothing do not hold up the end" {
	python h2_raw.py stubborn
}

@test "other protocols are closed without harm" {
	python h2_raw.py other_protocols
}

@test "a call that waits takes no time" {
	python h2_raw.py idle
}

@test "curl, nghttp and h2load" {
	serve
	url=http://127.0.0.1:$port/unpkg.Unpkg/FindOne
	printf '\0\0\0\0\3\n\1a' >"$BATS_TEST_TMPDIR/body"
	grpc=(-H 'content-type: application/grpc' -H 'te: trailers')
	run -0 curl -sS --http2-prior-knowledge -D - -o "$BATS_TEST_TMPDIR/reply" "${grpc[@]}" \
		--data-binary @"$BATS_TEST_TMPDIR/body" "$url"
	[[ "$output" == *"HTTP/2 200"*"content-type: application/grpc"*"grpc-status: 0"* ]]
	[ "$(wc -c <"$BATS_TEST_TMPDIR/reply")" = 169 ]
	run -0 curl -sS --http2-prior-knowledge -D - "${grpc[@]}" -d x "http://127.0.0.1:$port/nope"
	[[ "$output" == *"HTTP/2 200"*"grpc-status: 12"*"grpc-message: unknown method"* ]]
	run -0 curl -sS --http2-prior-knowledge -o /dev/null -w '%{http_code}' -d x "$url"
	[ "$output" = 415 ]
	run -0 curl -sS --http2-prior-knowledge -o /dev/null -w '%{http_code}' "$url"
	[ "$output" = 405 ]
	run -0 nghttp -v "${grpc[@]}" -H ':method: POST' -d "$BATS_TEST_TMPDIR/body" "$url"
	[[ "$output" == *"grpc-status: 0"* ]]
	run -0 h2load -n 1000 -c 4 -m 10 "${grpc[@]}" -d "$BATS_TEST_TMPDIR/body" "$url"
	[[ "$output" == *"1000 succeeded, 0 failed, 0 errored"*"1000 2xx, 0 3xx"* ]]
	stop
}

@test "rpcbench calls and verifies it" {
	serve
	run -0 "$RPCBENCH_BIN/rpcbench" load "grpc://127.0.0.1:$port/unpkg.Unpkg/FindOne" \
		-b $'\n\1a' -c 3 -p 20 -n 2000 --json
	json '.requests.ok == 2000 and .requests.failed == 0'
	run -0 "$RPCBENCH_BIN/rpcbench" verify grpc-nghttp2
}
