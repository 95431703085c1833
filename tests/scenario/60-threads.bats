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
