#!/usr/bin/env bats
# Goal: what a result says is proven in the result, and a condition that does not hold fails the run.

bats_require_minimum_version 1.5.0
load helper
load run-helpers

teardown() {
	stop_all
}

hello() {
	start "$RPCBENCH_BIN/http-hello" --port 0
	url=http://127.0.0.1:$port/
}

load_of() {
	run --separate-stderr timeout 20 "$RPCBENCH_BIN/rpcbench" load "$@" "$url"
}

@test "conditions that hold are said, and the exit status is 0" {
	hello
	load_of -n 2000 -c 2 --fail-if 'p99<10s' --fail-if 'rps>1' --fail-if 'failed<0.1%' \
		--fail-if 'sent==2k'
	expect_status 0
	expect_line 'fail-if: p99<10s held: p99 = '
	expect_line 'fail-if: rps>1 held: rps = '
	expect_line 'fail-if: failed<0.1% held: failed = 0%'
	expect_line 'fail-if: sent==2k held: sent = 2000'
}

@test "a condition that does not hold: one line, exit status 1, and the record has it" {
	hello
	load_of -n 2000 -c 2 --fail-if 'p99<1ns' --fail-if 'rps>1'
	expect_status 1
	expect_line 'fail-if: p99<1ns did not hold: p99 = '
	load_of -n 2000 -c 2 --json --fail-if 'p99<1ns' --fail-if 'rps>1'
	expect_status 1
	json '.conditions | length == 2 and .[1].held'
	json '. as $trial | .conditions[0] | .condition == "p99<1ns" and (.held | not) and
		.unit == "ns" and .value == $trial.latency_ns.p99 and .limit == 1'
	[[ "$stderr" == *"fail-if: p99<1ns did not hold: p99 = "* ]]
	[[ "$stderr" != *"rps>1"* ]]
}

@test "a condition on a figure that is absent fails, with the reason" {
	hello
	load_of -n 50 -c 2 --fail-if 'p99<10s'
	expect_status 1
	expect_line 'fail-if: p99<10s did not hold: p99 is not known: needs 1000 samples'
}

@test "a condition that is none is refused before anything is sent" {
	url=http://127.0.0.1:1/
	load_of --fail-if 'p98<10s'
	expect_status 2
	[[ "$stderr" == *"unknown figure 'p98'"*"p95 p97_5 p99"* ]]
}

@test "run: a condition is checked for each contestant" {
	out=$BATS_TEST_TMPDIR/out
	cd "$BATS_TEST_DIRNAME/../.."
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 round1 --only http-json,http-evhttp --trials 1 -d 200ms \
		--warmup 50ms --out "$out" --fail-if 'p50<10s' --fail-if 'errors>1'
	expect_status 1
	expect_line 'http-json: fail-if: p50<10s held: p50 = '
	expect_line 'http-evhttp: fail-if: errors>1 did not hold: errors = 0'
	jq -e '[.contestants[].conditions[].held] == [true, false, true, false]' "$out/round1.json"
}

# bad RULE…: starts badserver for HTTP/1.1
bad() {
	start "$RPCBENCH_BIN/../test/badserver" --port 0 --protocol http1 "$@"
	url=http://127.0.0.1:$port/
}

@test "5 % of replies are later than the time-out: p99 is at least that" {
	bad 'every 20: delay 2s'
	load_of -n 1200 -c 40 --timeout 250ms --json
	expect_status 1
	json '.errors.timeout == 60 and .requests.ok == 1140 and .requests.inflight_at_end == 0'
	json '.latency_ns | .count == 1200 and .timed_out == 60 and .p90 < 250e6'
	json '.latency_ns | .p99 == null and .p99_at_least >= 250e6 and .p99_at_least < 1e9'
	json '.latency_ns | .max == null and .max_at_least >= .p99_at_least and .mean == null'
	json '.latency_ns.p99_reason | test("timed out")'
	json '.failed_latency_ns | .count == 60 and .min >= 250e6'
	json '[.timed_out_histogram.buckets[][1]] | add == 60'
}

@test "the text says of such a p99 that it is a lower bound" {
	bad 'every 20: delay 2s'
	load_of -n 1200 -c 40 --timeout 250ms --fail-if 'p99<10s' --fail-if 'p99>200ms'
	expect_status 1
	[[ "$output" =~ 99%\ +≥\ 2[0-9]+ms ]]
	[[ "$output" =~ Latency\ +≥\  ]]
	expect_line 'Warning: 60 of 1200 requests timed out'
	expect_line 'Failed requests took: p50 2'
	expect_line 'fail-if: p99<10s did not hold: p99 is at least 2'
	expect_line 'fail-if: p99>200ms held: p99 is at least 2'
}

# counted CONTESTANT OFF: a round of one that counts OFF too many for each request.
counted() {
	manifest "$1" http1 stock '{"find_one": {"url": "/test"}}' --counts "$2" |
		sed 's/"calls"/"counts": "signal", "calls"/' >"$BATS_TEST_TMPDIR/m.json"
	jq -n --arg name "$1" '{name: "tiny", title: "Tiny", call: "find_one",
		contestants: [$name], levels: [{connections: 2, pipeline: 1}], trials: 1,
		duration: "200ms", warmup: "50ms"}' >"$BATS_TEST_TMPDIR/round.json"
	out=$BATS_TEST_TMPDIR/out
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/round.json" --out "$out" \
		--manifest "$BATS_TEST_TMPDIR/m.json"
}

@test "run: the server counts what the client sent, warm-up included" {
	counted honest 0
	expect_status 0
	jq -e '.contestants[0].trials[0].checks.server_counts | .ok and
		.answered >= .replies and .answered <= .sent and .sent > 0' "$out/tiny.json"
}

@test "run: a count that differs marks the row, and the exit status says so" {
	counted liar 1
	expect_status 1
	expect_line 'liar (!)'
	expect_line 'INCONSISTENT: in 1 of its trials the server answered another number of requests'
	jq -e '.contestants[0] | .trials[0].checks.server_counts.ok == false and
		.summary.checks_failed.server_counts == 1' "$out/tiny.json"
}

@test "each of our servers counts its requests" {
	cd "$BATS_TEST_DIRNAME/../.."
	out=$BATS_TEST_TMPDIR/out
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 round1 --trials 1 -d 200ms --warmup 50ms --out "$out"
	expect_status 0
	run jq -e '[.contestants[] | {name, check: .trials[0].checks.server_counts} |
		select(.check.ok != true)] == []' "$out/round1.json"
	expect_status 0
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 cities --trials 1 -d 300ms --warmup 50ms --out "$out"
	run jq -e '[.contestants[].trials[0].checks.server_counts.ok] | all' "$out/cities.json"
	expect_status 0
}

@test "known distributions: JSON, text and merged trials are within 1 % of the truth" {
	for kind in constant uniform exponential bimodal outliers; do
		mkdir "$BATS_TEST_TMPDIR/$kind"
		"$RPCBENCH_BIN/../test/stream" "$kind" "$BATS_TEST_TMPDIR/$kind"
		/usr/bin/python3 "$BATS_TEST_DIRNAME/check_stream.py" "$BATS_TEST_TMPDIR/$kind"
	done
}

@test "known distributions: the percentile file agrees with another HdrHistogram" {
	npm=$BATS_TEST_DIRNAME/../../build/npm/node
	[ -d "$npm/node_modules/hdr-histogram-js" ] || skip "the npm packages are missing"
	for kind in constant uniform exponential bimodal outliers; do
		mkdir "$BATS_TEST_TMPDIR/$kind"
		"$RPCBENCH_BIN/../test/stream" "$kind" "$BATS_TEST_TMPDIR/$kind"
		NODE_PATH=$npm/node_modules node "$BATS_TEST_DIRNAME/check_hdr.js" \
			"$BATS_TEST_TMPDIR/$kind"
	done
}

@test "--hdr: time-outs are counted with what they waited, and said" {
	bad 'every 20: delay 2s'
	load_of -n 1200 -c 40 --timeout 250ms --hdr "$BATS_TEST_TMPDIR/out.hdr"
	expect_status 1
	grep -Eq '^ +Value +Percentile +TotalCount +1/\(1-Percentile\)$' "$BATS_TEST_TMPDIR/out.hdr"
	grep -Eq '^ +[0-9.]+ +1\.0+ +1200$' "$BATS_TEST_TMPDIR/out.hdr"
	grep -q '^#\[Timed out = 60:' "$BATS_TEST_TMPDIR/out.hdr"
	awk '$2 >= 0.96 && $1 < 240 && NF > 2 && $1 + 0 > 0 { exit 1 }' "$BATS_TEST_TMPDIR/out.hdr"
}

@test "null: one byte each way, in a pipeline too" {
	start "$RPCBENCH_BIN/null" --port 0
	url=null://127.0.0.1:$port
	load_of -n 3000 -c 3 -p 7 --json
	expect_status 0
	json '.requests.ok == 3000 and .bytes_per_reply == 1 and .protocol == "null"'
}

@test "null: a byte that nobody asked for is an error, and so is a close" {
	start "$RPCBENCH_BIN/http-hello" --port 0
	url=null://127.0.0.1:$port
	load_of -n 20 -c 2 --timeout 300ms --json
	expect_status 1
	json '.requests.ok < 20'
}

@test "run: the client's ceiling at each load, and the share of it that each row used" {
	out=$BATS_TEST_TMPDIR/out
	cd "$BATS_TEST_DIRNAME/../.."
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 round1 --only http-json,thrift-simple --trials 1 \
		-d 200ms --warmup 50ms --out "$out"
	expect_status 0
	expect_line 'of ceil.'
	expect_line "The client's ceiling at this load: "
	jq -e '[.calibration[] | [.connections, .pipeline]] == [[10, 1], [1, 1]]' "$out/round1.json"
	jq -e '.calibration | all(.runs == 3)' "$out/round1.json"
	jq -e '[.calibration[] | .rps, .requests_per_client_cpu_s] | all(. > 0)' "$out/round1.json"
	jq -e '.calibration[0].rps as $ceiling | .contestants[0].summary |
		(.ceiling_share * $ceiling - .rps.median | fabs) < .rps.median / 1000' "$out/round1.json"
}
