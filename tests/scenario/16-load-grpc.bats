# rpcbench load against Python's gRPC library: what it counts must be what the server counted.

bats_require_minimum_version 1.5.0
load helper

teardown() {
	stop_all
}

# peer [OPTION]...: starts tests/peers/grpc_peer.py
peer() {
	start /usr/bin/python3 "$BATS_TEST_DIRNAME/../peers/grpc_peer.py" "$@"
}

# load_json METHOD OPTION...: one run, its trial in $output and its exit status in $status
load_json() {
	run --separate-stderr timeout 60 "$RPCBENCH_BIN/rpcbench" load --json --timeout 20s "${@:2}" \
		"grpc://127.0.0.1:$port/$1"
	json '.requests | .sent == .ok + .failed + .inflight_at_end' >/dev/null
}

# saw WORD [LOG]: what a server printed about it at its end, 0 for nothing
saw() {
	awk -F= -v word="$1" '$1 == word { n = $2 } END { print n + 0 }' "${2:-$server_log}"
}

# message PYTHON: the bytes of a message, made by Python's protobuf library, into a file
message() {
	PYTHONPATH=$BATS_TEST_DIRNAME/../../build/gen/py /usr/bin/python3 -c "
import sys, city_pb2, echo_pb2, unpkg_pb2
sys.stdout.buffer.write(($1).SerializeToString())" >"$BATS_TEST_TMPDIR/$2"
}

@test "all calls, over many connections and over many streams, with the message as expected" {
	peer
	message "unpkg_pb2.FindOneRequest(name='koa')" find_one
	message "unpkg_pb2.PublishRequest(name='koa', version=-3)" publish
	message "unpkg_pb2.PublishResponse(message='koa@-3')" publish.reply
	message "echo_pb2.CallRequest(name='w\u00f6rld')" echo
	message "echo_pb2.CallResponse(msg='Hello w\u00f6rld')" echo.reply
	message "echo_pb2.CallRequest(name='32byte')" random
	cd "$BATS_TEST_TMPDIR"
	load_json unpkg.Unpkg/FindOne --body-file find_one -n 400 -c 20
	json '.requests.ok == 400'
	load_json unpkg.Unpkg/FindOne --body-file find_one -n 400 -c 2 -p 50 -t 2
	json '.requests.ok == 400'
	load_json unpkg.Unpkg/Publish --body-file publish --expect-body publish.reply -n 400 -c 3 -p 7
	json '.requests.ok == 400'
	load_json unpkg.Unpkg/Publish --body-file find_one --expect-body publish.reply -n 40 -c 2
	json '.requests.ok == 0 and .errors.mismatch == 40'
	load_json cityinfo.GeoCity/GetCities -n 100 -c 2 -p 10
	json '.requests.ok == 100 and .bytes_per_reply > 30000'
	load_json echo.Streams/Call --body-file echo --expect-body echo.reply -n 100 -c 2 -p 10
	json '.requests.ok == 100'
	load_json echo.Streams/Call --body-file random -n 20 -c 1
	json '.requests.ok == 1 and .errors.mismatch == 19'
	load_json echo.Streams/Call --body-file random --verify=length -n 20 -c 1
	json '.requests.ok == 20'
	stop
	[ "$(saw calls:FindOne)" = 800 ]
	[ "$(saw calls:Publish)" = 440 ]
	[ "$(saw calls:GetCities)" = 100 ]
	[ "$(saw calls:Call)" = 140 ]
}

@test "errors are told apart by their code, in trailers alone or behind a header" {
	peer
	for code in 2=unknown 5=not_found 7=permission_denied 14=unavailable 16=unauthenticated; do
		load_json "test.Test/Code${code%=*}" -n 20 -c 2 -p 5
		[ "$status" -eq 1 ]
		json ".requests.ok == 0 and .errors == {grpc_${code#*=}: 20}"
		load_json "test.Test/LateCode${code%=*}" -n 20 -c 2 -p 5
		json ".requests.ok == 0 and .errors == {grpc_${code#*=}: 20}"
	done
	load_json test.Test/None -n 20
	json '.errors == {grpc_unimplemented: 20}'
	load_json test.Test/Code5 -n 20 --verify=off
	json '.requests.ok == 20'
	stop
	[ "$(saw calls:Code7)" = 20 ]
	[ "$(saw calls:LateCode7)" = 20 ]
	[ "$(saw calls:Code5)" = 40 ]
}

@test "a server's limit of streams below -p is kept, and costs no request" {
	peer --max-streams 5
	load_json test.Test/Pause -n 60 -c 1 -p 40
	json '.requests.ok == 60 and .requests.failed == 0'
	# Those that waited for a stream count from when they were due.
	json '.latency_ns.max > 4 * 20e6'
	stop
	[ "$(saw calls:Pause)" = 60 ]
	[ "$(saw at_once)" -gt 1 ]
	[ "$(saw at_once)" -le 5 ]
}

@test "large replies and large requests, through default windows" {
	peer
	load_json test.Test/Large -n 40 -c 2 -p 4
	json '.requests.ok == 40 and .bytes_per_reply > 1048576'
	cd "$BATS_TEST_TMPDIR"
	head -c 3000000 /dev/zero >request
	printf 3000000 >reply
	load_json test.Test/Length --body-file request --expect-body reply -n 20 -c 2 -p 4
	json '.requests.ok == 20'
	stop
	[ "$(saw calls:Large)" = 40 ]
	[ "$(saw calls:Length)" = 20 ]
}

# gRPC core cancels, with that code, what it has not handed to Python yet.
@test "a server that winds down in mid-run: what it took is answered, and another goes on" {
	peer --stop-after 300
	first=$server_log
	peer --port "$port" # shares it, and takes over
	load_json unpkg.Unpkg/FindOne -b $'\n\1a' -n 3000 -c 12 -p 10
	json '.requests | .sent == 3000 and .failed < 300'
	json '.errors | keys - ["stale_connection", "reset", "grpc_cancelled", "grpc_unavailable"] == []'
	stop
	ok=$(json .requests.ok)
	[ "$(saw calls:FindOne "$first")" -ge 300 ]
	total=$(($(saw calls:FindOne "$first") + $(saw calls:FindOne)))
	echo "$(json .errors) of $total"
	[ "$total" -ge "$ok" ]
	[ "$total" -le 3000 ]
}

@test "one request a connection, and seven" {
	peer
	load_json unpkg.Unpkg/FindOne -b $'\n\1a' -n 40 -c 4 --no-keepalive
	json '.requests.ok == 40'
	load_json unpkg.Unpkg/FindOne -b $'\n\1a' -n 70 -c 2 -p 7 --requests-per-connection 7
	json '.requests.ok == 70'
	stop
	[ "$(saw calls:FindOne)" = 110 ]
}
