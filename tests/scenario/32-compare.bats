# rpcbench compare: what a CI asks: a regression fails, noise does not.

bats_require_minimum_version 1.5.0
load helper

# record FILE FACTOR: a made-up record of ten trials, its requests per second times FACTOR
record() {
	jq -n --argjson f "$2" '{schema: "rpcbench/1", round: "made-up", seed: 1,
		parameters: {call: "hello", duration_s: 1}, environment: {cores: 2},
		contestants: [{name: "a|b", connections: 10, pipeline: 1, trials: [range(10)
			| (1000 * $f + 7 * .) as $rps | {rps: $rps, bytes_per_reply: 100,
			requests: {sent: 1000, ok: 1000, failed: 0},
			server: {requests_per_cpu_s: ($rps * 2), max_rss_bytes: 1000000}}]}]}' >"$1"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	record old.json 1
	record worse.json 0.8
	record better.json 1.2
}

compare() {
	run --separate-stderr "$RPCBENCH_BIN/rpcbench" compare "$@"
}

@test "the same is no difference, better is fine, worse fails" {
	compare old.json old.json
	[ "$status" -eq 0 ]
	[ "$(grep -c "no difference shown" <<<"$output")" -eq 3 ]
	compare old.json better.json
	[ "$status" -eq 0 ]
	[[ "$output" =~ "| a\|b | 10 × 1 | rps |"[^$'\n']*"| faster |" ]]
	compare old.json worse.json
	[ "$status" -eq 1 ]
	[[ "$output" =~ "| **slower** |" ]]
	[[ "$stderr" =~ "a|b: rps: slower" ]]
}

@test "--fail-if says how much worse is too much" {
	compare --fail-if 'rps>0.75' old.json worse.json
	[ "$status" -eq 0 ]
	compare --fail-if 'rps>0.75' --fail-if 'rps_per_cpu>0.9' old.json worse.json
	[ "$status" -eq 1 ]
	[[ "$stderr" =~ "rps_per_cpu: slower" ]]
	compare --fail-if 'p42<1' old.json worse.json
	[ "$status" -eq 2 ]
	[[ "$stderr" =~ "--fail-if 'p42<1': expected one of rps, rps_per_cpu, p50, p99, memory" ]]
}

@test "what cannot be compared is refused, with what differs, unless forced" {
	jq '.environment.cores = 64 | .parameters.duration_s = 9' worse.json >other.json
	compare old.json other.json
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" =~ "environment.cores: 2 in the old record, 64 in the new" ]]
	[[ "$stderr" =~ "parameters.duration_s: 1 in the old record, 9 in the new" ]]
	compare --force old.json other.json
	[ "$status" -eq 1 ]
	[[ "$output" =~ "DIFFERS: environment.cores" ]]
}

@test "as JSON, and usage" {
	compare --json old.json worse.json
	[ "$status" -eq 1 ]
	json '.schema == "rpcbench-compare/1" and (.rows | length == 5)
		and .rows[0].ratio < 0.82 and .rows[0].ci95_high < 1 and .rows[0].p < 0.05'
	compare old.json
	[ "$status" -eq 2 ]
	compare old.json missing.json
	[ "$status" -eq 3 ]
	[[ "$stderr" =~ missing.json ]]
}

@test "too few trials to show anything are said" {
	jq '.contestants[0].trials |= .[:3]' old.json >a.json
	jq '.contestants[0].trials |= .[:3]' worse.json >b.json
	compare a.json b.json
	[ "$status" -eq 0 ]
	[[ "$output" =~ "With 3 trials no difference can be shown" ]]
}
