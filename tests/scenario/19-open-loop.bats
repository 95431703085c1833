# rpcbench load --rate: a schedule that the server cannot slow down.

bats_require_minimum_version 1.5.0
load helper

teardown() {
	stop_all
}

hello() {
	start "$RPCBENCH_BIN/http-hello" --port 0
	url=http://127.0.0.1:$port/
}

# odd HABIT: starts tests/scenario/odd_server.py
odd() {
	start /usr/bin/python3 "$BATS_TEST_DIRNAME/odd_server.py" "$1"
	url=http://127.0.0.1:$port/
}

# load_json OPTION…: one run, its trial in $output and its exit status in $status
load_json() {
	run --separate-stderr timeout 20 "$RPCBENCH_BIN/rpcbench" load --json "$@" "$url"
	json '.requests | .sent == .ok + .failed + .inflight_at_end'
	json '.rate.planned == .requests.sent + .backlog.at_end + .backlog.dropped'
	json '.checks.arrivals.ok'
	# As many samples as replies, never more.
	json '.latency_ns == null or .latency_ns.count == .requests.ok'
}

# saw NAME: what the server counted, after its end
saw() {
	sed -n "s/.*$1=\([0-9]*\).*/\1/p" "$server_log"
}

@test "the rate is that of all threads and connections together" {
	hello
	for shape in "-c 1 -t 1" "-c 7 -t 3" "-c 4 -t 2 -p 8"; do
		load_json -r 200 -d 0.5s $shape
		[ "$status" -eq 0 ]
		json '.mode == "open" and .rate.target == 200 and .rate.arrival == "constant"'
		json '.rate.planned == 100'
	done
}

@test "exactly n requests, at the rate" {
	odd plain
	load_json -r 100 -n 50 -c 3 -t 2
	[ "$status" -eq 0 ]
	json '.requests.ok == 50 and .duration_s >= 0.48'
	stop
	[ "$(saw requests)" -eq 50 ]
}

@test "a rate below one, and more threads than requests: no time-out, no warning" {
	hello
	load_json -r 0.5 -d 0.5s -c 8 -t 8 --timeout 100ms
	[ "$status" -eq 0 ]
	json '.requests.ok == 1 and .requests.failed == 0 and .saturated == false'
	run "$RPCBENCH_BIN/rpcbench" load -r 10 -d 0.5s -c 10 --timeout 100ms "$url"
	[ "$status" -eq 0 ]
	[[ "$output" == *"5 requests in"* ]]
	[[ "$output" != *"Warning: only"* ]]
}
