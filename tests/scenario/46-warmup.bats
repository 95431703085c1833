#!/usr/bin/env bats
# Goal: a trial is measured once its server is steady, and says so when it never was.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	record=$out/warm.json
}

TEST='{"find_one": {"url": "/test"}}'

# run_round LEVEL PACE…: a trial of a server of each, after 0.4 s of warm-up or more
run_round() {
	local pace level=$1 manifests=()
	shift
	jq -n --argjson level "$level" '{name: "warm", title: "Warm", call: "find_one",
		contestants: $ARGS.positional, levels: [$level], trials: 1, duration: "400ms",
		warmup: "400ms"}' --args "$@" >"$BATS_TEST_TMPDIR/warm-round.json"
	for pace in "$@"; do
		manifests+=("$(manifest "$pace" http1 stock "$TEST" --pace "$pace")")
	done
	list "${manifests[@]}" >"$file"
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/warm-round.json" \
		--manifest "$file" --out "$out"
	expect_status 0
}

# trial NAME FILTER: what holds for its one trial
trial() {
	jq -e --arg name "$1" ".contestants[] | select(.name == \$name) | .trials[0] | $2" "$record" ||
		{ jq -c '.contestants[] | [.name, .trials[].warmup]' "$record"; return 1; }
}

@test "the warm-up goes on until the server is steady, up to a limit" {
	run_round '{"connections": 40, "pipeline": 1}' even growing waves
	trial even '.warmup.steady and .warmup.s >= 0.4 and .warmup.windows < 8'
	trial growing '.warmup.steady and .warmup.s > 0.45 and .warmup.windows > 3'
	trial waves '.warmup.steady == false and .warmup.s > 1 and .warmup.s < 3'
	trial waves '.rps > 0 and .warmup_s == 0.4 and .checks.counts.ok and .requests.failed == 0'
	grep -q "waves: not steady after a warm-up of 1\..*s in 1 of 1 trials" "$out/warm.md"
	! grep "even: not steady" "$out/warm.md"
}

@test "an open loop and a planned number of requests keep the warm-up they were given" {
	run_round '{"connections": 16, "pipeline": 1, "rate": 200}' even
	trial even '.warmup.steady == null and .warmup.windows == 0 and .warmup.s == 0.4
		and (.warmup.steady_reason | startswith("open loop"))'
	run_round '{"connections": 16, "pipeline": 1, "requests": 50}' even
	trial even '.warmup.steady == null and .warmup.windows == 0 and .warmup.s == 0.4
		and (.warmup.steady_reason | contains("planned number"))'
}
