#!/usr/bin/env bats
# Goal: a round measures one of its contestants twice, and what that shows of the machine is in the
# record and below the table, not a row of it.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	round=$BATS_TEST_TMPDIR/tiny-round.json
	record=$out/tiny.json
	list "$(manifest a http1 stock "$TEST")" "$(manifest b http1 stock "$TEST")" \
		"$(manifest dies http1 stock "$TEST" --die-at-start 3)" \
		"$(manifest c http1 stock '{"hello": {"url": "/"}}')" >"$file"
}

TEST='{"find_one": {"url": "/test"}}'

# round AGAIN CONTESTANT…: writes a short round of them, under $levels; run_round measures these
# alone.
levels='[{"connections": 1, "pipeline": 1}]'
round() {
	only=$(IFS=, && echo "${*:2}")
	jq -n '{name: "tiny", title: "Tiny", call: "find_one", again: $again,
		contestants: $ARGS.positional,
		levels: $levels, trials: 1, duration: "200ms", warmup: "50ms"}' \
		--arg again "$1" --argjson levels "$levels" --args "${@:2}" >"$round"
}

run_round() {
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$round" --manifest "$file" --out "$out" --only "$only" "$@"
}

@test "the second of two is in the record, in a note, and in no table" {
	levels='[{"connections": 1, "pipeline": 1}, {"connections": 2, "pipeline": 1}]'
	round a a b
	run_round --fail-if 'rps>1'
	expect_status 0
	expect_line "4 contestants, 1 trial of 200ms after 50.0ms of warm-up"
	expect_line "a is measured twice, for the noise floor"
	expect_line "a (again) 2×1 trial 1 of 1: "
	expect_line "[6/6] "
	expect_line "Noise floor: a measured twice"
	jq -e '(.contestants | map(.name) == ["a", "a", "b", "b"])
		and (.again | map(.name) == ["a", "a"])
		and (.again | map(.connections) == [1, 2])
		and (.again | all(.trials | length == 1))
		and ([.contestants[], .again[]] | map(.trials[0].order)
			| sort == [1, 2, 3, 4, 5, 6])
		and (.noise_floor | length == 2)
		and (.noise_floor | all(.contestant == "a" and .rps.floor >= 0 and .rps.p > 0
			and .latency_p50.ratio > 0))' "$record" || {
		jq -c '.noise_floor, [.contestants[], .again[] | .trials[0].order]' "$record"
		return 1
	}
	[ "$(grep -c '^| [0-9=]* | a |' "$out/tiny.md")" -eq 2 ]
	grep -q "Noise floor: a measured twice" "$out/tiny.md"
	run "$RPCBENCH_BIN/rpcbench" report --format csv "$record"
	expect_status 0
	[ "$(wc -l <<<"$output")" -eq 5 ]
}

@test "where there is none the record says why" {
	round c a c
	run_round
	expect_status 0
	expect_line "no noise floor: its contestant is not among those measured"
	jq -e '.again == null and .noise_floor == null
		and .noise_floor_reason == "its contestant is not among those measured"' "$record"
	round a a b
	only=b
	run_round
	expect_status 0
	jq -e '.noise_floor_reason == "its contestant is not among those measured"' "$record"
	round dies a dies
	run_round
	expect_status 1
	expect_line "rpcbench: dies (again): exited with status 3"
	jq -e '.noise_floor | all(.rps == null and (.rps_reason
		| startswith("dies: trial 1: exited with status 3")))' "$record"
}

@test "a quick round has none" {
	round a a
	run_round --quick --trials 1 --warmup 50ms --duration 200ms
	expect_status 0
	expect_line "no noise floor: --quick measures nothing twice"
	expect_line "Noise floor: not measured (--quick measures nothing twice)"
}

@test "a name that is not one of the round's is an error" {
	round nobody a
	run_round
	expect_status 2
	expect_line "rpcbench: $round:5: again: expected one of the contestants of this round, 'nobody' is none"
	[ ! -e "$record" ]
}
