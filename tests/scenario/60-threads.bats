# Several threads on both sides: what is shared must be safe to share. Built with BUILD=tsan this
# is what finds data races; otherwise it checks the counts alone.

bats_require_minimum_version 1.5.0
load helper

teardown() {
	stop_all
}

# many_threads URL OPTION…: load from four threads; the server's log must stay clean
many_threads() {
	run --separate-stderr timeout 60 "$RPCBENCH_BIN/rpcbench" load --json -t 4 "${@:2}" "$1"
	echo "$stderr"
	[ "$status" -eq 0 ]
	[[ "$stderr" != *ThreadSanitizer* ]]
	json '.requests | .ok > 0 and .sent == .ok + .inflight_at_end'
	stop || { head -60 "$server_log"; false; }
}

@test "HTTP: four load threads learn one body from two server threads" {
	start "$RPCBENCH_BIN/http-hello" --port 0 --threads 2
	many_threads "http://127.0.0.1:$port/" -c 8 -p 4 -d 0.5s --warmup 0.2s
}

@test "Thrift: four load threads, two server threads" {
	start "$RPCBENCH_BIN/thrift-framed" --port 0 --threads 2
	many_threads "thrift://127.0.0.1:$port/UnpkgService.FindOne?transport=framed" -c 8 -p 4 -n 4000
}

@test "gRPC: four load threads, three server threads" {
	start "$RPCBENCH_BIN/grpc-nghttp2" --port 0 --threads 3
	many_threads "grpc://127.0.0.1:$port/unpkg.Unpkg/FindOne" -b $'\n\1a' -c 12 -p 8 -n 6000
}

@test "gRPC: large replies, connections that end and begin" {
	start "$RPCBENCH_BIN/grpc-nghttp2" --port 0 --threads 3
	many_threads "grpc://127.0.0.1:$port/cityinfo.GeoCity/GetCities" \
		-c 8 -p 4 -n 400 --requests-per-connection 10
}

# both_ways GRPC_PORT LOG OPTION…: the cities over HTTP and over gRPC at the same time
both_ways() {
	"$RPCBENCH_BIN/rpcbench" load -t 2 "${@:3}" "grpc://127.0.0.1:$1/cityinfo.GeoCity/GetCities" \
		>"$2" 2>&1 3>&- &
	loader=$!
	many_threads "http://127.0.0.1:$port/cities" "${@:3}"
	wait "$loader"
	! grep ThreadSanitizer "$2"
}

@test "cities-data: two protocols, three server threads" {
	start "$RPCBENCH_BIN/cities-data" --port 0 --grpc-port 0 --threads 3
	both_ways "$(sed -n 's/^READY .* grpc=//p' "$server_log")" "$BATS_TEST_TMPDIR/out" -c 8 -p 4 -n 400
}

@test "stopping early from another thread" {
	start "$RPCBENCH_BIN/http-hello" --port 0 --threads 2
	"$RPCBENCH_BIN/rpcbench" load -t 4 -d 30s "http://127.0.0.1:$port/" \
		>"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	loader=$!
	sleep 1
	kill -INT "$loader"
	wait "$loader"
	! grep ThreadSanitizer "$BATS_TEST_TMPDIR/out"
}
