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
	run "$RPCBENCH_BIN/rpcbench" run round1 --only http-json,http-evhttp --trials 1 -d 200ms \
		--warmup 50ms --out "$out" --fail-if 'p50<10s' --fail-if 'errors>1'
	expect_status 1
	expect_line 'http-json: fail-if: p50<10s held: p50 = '
	expect_line 'http-evhttp: fail-if: errors>1 did not hold: errors = 0'
	jq -e '[.contestants[].conditions[].held] == [true, false, true, false]' "$out/round1.json"
}
