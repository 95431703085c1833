# rpcbench load --rate: a schedule that the server cannot slow down.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

hello() {
	start "$RPCBENCH_BIN/http-hello" --port 0
	url=http://127.0.0.1:$port/
}

# open OPTION…: load_json, and what must hold of every open loop
open() {
	load_json "$@"
	holds
}

# All that was planned is somewhere, and there are as many samples as replies, never more.
holds() {
	json '.rate.planned == .requests.sent + .backlog.at_end + .backlog.dropped and
		.checks.arrivals.ok and .checks.counts.ok and
		(.latency_ns == null or .latency_ns.count == .requests.ok) and
		(.service_time_ns == null or .service_time_ns.count == .requests.ok)'
}

@test "the rate is that of all threads and connections together" {
	hello
	for shape in "-c 1 -t 1" "-c 7 -t 3" "-c 4 -t 2 -p 8"; do
		open -r 200 -d 0.5s $shape
		[ "$status" -eq 0 ]
		json '.mode == "open" and .rate.target == 200 and .rate.arrival == "constant"'
		json '.rate.planned == 100'
	done
}

@test "a closed loop has no schedule, and says so" {
	hello
	load_json -n 10
	json '.mode == "closed"'
	json '[.rate, .backlog, .saturated, .send_lag_ns, .service_time_ns] == [null, null, null, null, null]'
	json '.rate_reason and .backlog_reason and .saturated_reason and .service_time_ns_reason'
}

@test "exactly n requests, at the rate" {
	bad http1
	open -r 100 -n 50 -c 3 -t 2
	[ "$status" -eq 0 ]
	json '.requests.ok == 50 and .duration_s >= 0.48'
	stop
	[ "$(saw requests)" -eq 50 ]
}

@test "a rate below one, and more threads than requests: no time-out, no warning" {
	hello
	open -r 0.5 -d 0.5s -c 8 -t 8 --timeout 100ms
	[ "$status" -eq 0 ]
	json '.requests.ok == 1 and .requests.failed == 0 and .saturated == false'
	run "$RPCBENCH_BIN/rpcbench" load -r 10 -d 0.5s -c 10 --timeout 100ms "$url"
	[ "$status" -eq 0 ]
	[[ "$output" == *"5 requests in"* ]]
	[[ "$output" != *"Warning: only"* ]]
}

@test "every protocol, with requests in flight beside each other" {
	for protocol in http1 h2c grpc thrift-framed thrift-binary; do
		bad $protocol
		open -r 400 -d 0.25s -c 2 -p 4
		[ "$status" -eq 0 ]
		json '.rate.planned == 100 and .requests.failed == 0'
		sent=$(json .requests.sent)
		stop
		[ "$(saw requests)" -eq "$sent" ]
	done
}

@test "requests are spread over the connections" {
	bad http1
	open -r 100 -n 10 -c 10
	json '.connections.served == 10'
}

@test "a connection for each request, set up before it is due" {
	bad http1
	open -r 100 -d 0.5s -c 2 --no-keepalive
	[ "$status" -eq 0 ]
	json '.requests.sent == 50'
	open -r 100 -d 0.5s -c 2 --requests-per-connection 3
	[ "$status" -eq 0 ]
	json '.requests.sent == 50'
}

@test "Poisson arrivals: a seed is a schedule" {
	hello
	planned=()
	for seed in 7 7 8 9 10; do
		open -r 500 -d 0.3s --arrival poisson --seed $seed -c 4 -t 2
		[ "$status" -eq 0 ]
		json ".rate.arrival == \"poisson\" and .rate.seed == $seed"
		planned+=("$(json .rate.planned)")
	done
	[ "${planned[0]}" -eq "${planned[1]}" ]
	[ "$(printf '%s\n' "${planned[@]}" | sort -u | wc -l)" -gt 1 ]
	open -r 500 -d 0.1s --arrival poisson
	json '.rate.seed >= 0'
}

@test "a low rate leaves the client's CPU alone" {
	hello
	open -r 50 -d 1s -c 2
	json '.client | .cpu_user_s + .cpu_system_s < 0.5'
}

# Whether the median at each rate is within 30 us of that of the closed loop, run beside it.
is_near_closed() {
	local rate=$1 closed
	closed=$("$RPCBENCH_BIN/rpcbench" load --json -c 1 -d 0.3s "$url" | jq .latency_ns.p50)
	"$RPCBENCH_BIN/rpcbench" load --json -r "$rate" -c 1 -d 0.4s "$url" |
		jq -e ".latency_ns.p50 - $closed | . < 30e3 and . > -30e3" >/dev/null
}

@test "against an instant server the median is that of the closed loop" {
	[[ "$RPCBENCH_BIN" == *release* ]] || skip "only of the build that measures"
	hello
	for rate in 500 1000 2000; do
		near=0
		for _ in {1..6}; do
			! is_near_closed $rate || { near=1 && break; }
		done
		read -r load _ </proc/loadavg
		((near || ${load%.*} >= $(nproc))) || false
		((near)) || skip "the machine is too busy to tell"
	done
}

@test "a server that is slow but not overloaded: its own time, no ghost samples" {
	bad http1 'all: delay 100ms'
	open -r 20 -d 1s -c 4
	[ "$status" -eq 0 ]
	json '.saturated == false and .backlog.dropped == 0'
	json '.latency_ns.min >= 100e6 and .latency_ns.p50 < 2 * .service_time_ns.p50'
}

@test "a server that is stopped for half of the run: who came meanwhile has waited" {
	bad http1
	("$RPCBENCH_BIN/rpcbench" load --json -r 200 -c 8 -d 2s "$url" \
		>"$BATS_TEST_TMPDIR/out.json" 3>&-) &
	loader=$!
	sleep 0.5
	kill -STOP "$pid"
	sleep 1
	kill -CONT "$pid"
	wait "$loader"
	output=$(cat "$BATS_TEST_TMPDIR/out.json")
	holds
	json '.rate.planned == 400 and .requests.failed == 0'
	# Some 200 of 400 waited, between nothing and a second; on the wire were at most 8.
	json '.latency_ns | .max >= 950e6 and .p75 > 250e6 and .p90 > .p75 and .p97_5 > .p90'
	json '.latency_ns.p75 > 4 * .service_time_ns.p95 and .service_time_ns.max >= 900e6'
	json '.backlog.max > 150 and .backlog.max <= 200 + 50'
}

@test "more than the server can do: said in plain words, with the server's own time beside" {
	bad http1 'all: pace 100ms'
	open -r 50 -c 1 -d 1.2s --timeout 300ms
	json '.saturated and .rate.achieved < 15 and .backlog.at_end >= 40'
	json '.backlog.oldest_s > 0.5 and .backlog.max >= .backlog.at_end'
	json '.latency_ns.max > 2 * .service_time_ns.max'
	# What waits has not been sent: the time-out is not its own.
	json '.errors == {}'
	run "$RPCBENCH_BIN/rpcbench" load -r 50 -c 1 -d 1s "$url"
	[[ "$output" =~ saturated:\ target\ 50/s,\ achieved\ [0-9.]+/s,\ backlog\ [0-9]+\ at\ the\ end ]]
	[[ "$output" == *"Service"* ]]
}

@test "the same, with a number of requests" {
	bad http1 'all: pace 50ms'
	open -r 100 -c 1 -n 20
	[ "$status" -eq 0 ]
	json '.saturated and .requests.ok == 20 and .backlog.at_end == 0 and .backlog.max >= 10'
}

@test "the same, with room for all in flight" {
	bad http1 'all: pace 50ms'
	open -r 100 -c 1 -p 1000 -d 1s
	json '.saturated and .backlog.max <= 10 and .requests.inflight_at_end > 50'
}

@test "a stall of 200 ms is in the tail of an open loop, and hidden by a closed one" {
	bad http1 'after 300ms once: stall 200ms'
	open -r 500 -c 4 -d 1s
	json '.latency_ns.p90 > 30e6 and .latency_ns.max >= 190e6'
	open_p90=$(json .latency_ns.p90)
	stop
	bad http1 'after 300ms once: stall 200ms'
	load_json -c 4 -d 1s
	json ".latency_ns.max >= 190e6 and .latency_ns.p90 < $open_p90 / 2"
}

@test "a server that dies and comes back: what was due meanwhile is sent then, once" {
	bad http1 'after 400ms once: die 300ms'
	open -r 200 -c 4 -d 1.5s
	[ "$status" -eq 1 ]
	json '.errors.connect_refused > 0 and .requests.failed <= 8'
	json '.rate.planned == 300 and .backlog.max >= 30 and .backlog.dropped == 0'
	json '.requests.ok >= 280 and .latency_ns.max >= 150e6'
	json '.connections.reconnects >= 4'
}

@test "nobody answers: everything planned is accounted for" {
	bad http1 'all: drop'
	open -r 100 -c 2 -d 0.5s
	json '.latency_ns == null and .service_time_ns == null and .saturated'
	json '.rate.achieved == 0 and .backlog.at_end == 48 and .requests.inflight_at_end == 2'
	open -r 100 -c 2 -d 1s --timeout 200ms
	json '.saturated and .rate.achieved == 0 and .errors.timeout >= 4'
}

@test "a backlog without room drops, counts and says so" {
	bad http1 'all: drop'
	open -r 10M -c 1 -d 0.3s
	json '.rate.planned == 3000000 and .backlog.dropped > 1000000 and .saturated'
	run "$RPCBENCH_BIN/rpcbench" load -r 10M -c 1 -d 0.3s "$url"
	[[ "$output" == *"dropped"* ]]
}

@test "a rate beyond the client: it says that it was the limit" {
	hello
	open -r 10M -c 8 -p 65536 -d 0.4s
	json '.client_limited and .send_lag_ns.p99 > 1e6'
	run "$RPCBENCH_BIN/rpcbench" load -r 10M -c 8 -p 65536 -d 0.4s "$url"
	[[ "$output" == *"the client was the limit"*"send lag"* ]]
}

@test "SIGINT keeps what was measured" {
	hello
	"$RPCBENCH_BIN/rpcbench" load -r 100 -d 30s --json="$BATS_TEST_TMPDIR/out.json" "$url" \
		>/dev/null 2>&1 3>&- &
	loader=$!
	sleep 0.5
	kill -INT "$loader"
	wait "$loader"
	output=$(cat "$BATS_TEST_TMPDIR/out.json")
	holds
	json '.stopped and .requests.ok > 0 and .duration_s < 10'
}

@test "bad usage names what is wrong, exit status 2" {
	check() {
		run "$RPCBENCH_BIN/rpcbench" load "${@:2}" http://127.0.0.1:1/
		[ "$status" -eq 2 ]
		[[ "$output" == *"$1"* ]]
	}
	check "--rate" -r 0
	check "--rate" -r -5
	check "--rate" -r many
	check "--rate" -r 1G
	check "constant" -r 5 --arrival bursty
	check "--arrival" --arrival poisson
	check "--seed" -r 5 --seed x
	check "--find-max" --find-max nonsense
	check "--duration" --find-max 'p99<2ms' -n 10
}

@test "--find-max: the highest rate that keeps a condition, and latency against load" {
	bad http1 'all: pace 5ms'
	run --separate-stderr timeout 30 "$RPCBENCH_BIN/rpcbench" load -c 1 -d 0.1s -r 50 \
		--json="$BATS_TEST_TMPDIR/out.json" --find-max 'p50<50ms' "$url"
	[ "$status" -eq 0 ]
	[[ "$stderr" == *held* ]]
	[[ "$output" == *"Highest rate that keeps p50<50ms"*" 10 %"*" 90 %"*"100 %"*"Requests/sec:"* ]]
	output=$(cat "$BATS_TEST_TMPDIR/out.json")
	# It can do 200 a second and not one more; 1 % short of the rate counts as kept.
	json '.schema == "rpcbench-find-max/1" and .max_rate > 50 and .max_rate < 215'
	json '.trial.rate.target == .max_rate'
	json '[.curve[].share] == [0.1, 0.3, 0.5, 0.7, 0.9]'
	json '[.curve[].trial.rate.target] | . == sort'
	json '.steps | any(.held) and any(.held == false and (.why_not | length > 0))'
	# As a page with a chart.
	"$RPCBENCH_BIN/rpcbench" report "$BATS_TEST_TMPDIR/out.json"
	for line in '| 10 % |' '| 100 % |' '(out.svg)' 'Command: rpcbench load'; do
		grep -qF "$line" "$BATS_TEST_TMPDIR/out.md"
	done
	for line in '<svg' p50 planned; do grep -qF "$line" "$BATS_TEST_TMPDIR/out.svg"; done
}

@test "--find-max: no rate keeps the condition, exit status 1; nobody listens, 3" {
	bad http1 'all: status 500'
	run --separate-stderr timeout 30 "$RPCBENCH_BIN/rpcbench" load --json -d 0.05s \
		-r 8 --find-max 'errors==0' "$url"
	[ "$status" -eq 1 ]
	json '.max_rate == null and .trial == null and .curve == []'
	json '.max_rate_reason | length > 0'
	stop
	run --separate-stderr timeout 30 "$RPCBENCH_BIN/rpcbench" load --json --find-max 'p99<2ms' "$url"
	[ "$status" -eq 3 ]
	json '.max_rate_reason | contains("no connection")'
}

@test "a level of a round may have a rate: a table of its own, with its own load" {
	cat >"$BATS_TEST_TMPDIR/rated.json" <<-END
		{"name": "rated", "title": "R", "call": "hello", "contestants": ["http-hello"],
		 "levels": [{"connections": 2, "pipeline": 1, "rate": 200},
		  {"connections": 2, "pipeline": 1, "rate": 200, "arrival": "poisson"},
		  {"connections": 2, "pipeline": 1}],
		 "trials": 1, "duration": "0.3s", "warmup": "0.1s"}
	END
	run --separate-stderr timeout 60 "$RPCBENCH_BIN/rpcbench" run \
		"$BATS_TEST_TMPDIR/rated.json" -o "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 0 ]
	[[ "$output" == *"open loop at 200 requests/s, constant"*"200 requests/s, Poisson"* ]]
	output=$(cat "$BATS_TEST_TMPDIR/out/rated.json")
	json '[.contestants[] | [.rate, .arrival]] ==
		[[200, "constant"], [200, "poisson"], [null, null]]'
	json '[.contestants[].trials[0] | [.mode, .rate.target]] ==
		[["open", 200], ["open", 200], ["closed", null]]'
	json '.contestants[1].trials[0].rate.seed >= 0'
	# A closed loop is ranked by either, as the client is found to be the limit or not.
	json '[.contestants[:2][].summary.ranked_by] == ["rps_per_server_cpu_s", "rps_per_server_cpu_s"]'
	grep -q "2 × 1 at 200/s (Poisson)" "$BATS_TEST_TMPDIR/out/rated.md"
}
