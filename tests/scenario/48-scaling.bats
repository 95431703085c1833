#!/usr/bin/env bats
# Goal: a round with several numbers of server threads measures each contestant with each of them,
# and says what more threads bring.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	round=$BATS_TEST_TMPDIR/tiny-round.json
	record=$out/tiny.json
	list "$(manifest fixed http1 stock '{"find_one": {"url": "/test"}}')" >"$file"
	round 1
}

# round THREADS: writes a short round with this value of threads.
round() {
	jq -n '{name: "tiny", title: "Tiny", call: "find_one", contestants: ["http-json", "fixed"],
		threads: $threads, again: "http-json", levels: [{connections: 2, pipeline: 1}],
		trials: 2, duration: "200ms", warmup: "50ms"}' --argjson threads "$1" >"$round"
}

run_round() {
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$round" --manifest "$file" --out "$out" "$@"
}

@test "each number of threads is a load, and the table says how it scales" {
	run_round --threads 1,2
	expect_status 0
	expect_line "http-json, 2 threads trial 2 of 2: "
	expect_line "http-json (again), 1 thread trial 2 of 2: "
	expect_line "2 connections × pipeline 1, 1 server thread, 2 trials"
	expect_line "2 connections × pipeline 1, 2 server threads, 2 trials"
	expect_line "## Scaling"
	jq -e '.parameters.server_threads == [1, 2]
		and (.contestants | map([.name, .server_threads])
			== [["http-json", 1], ["http-json", 2], ["fixed", 1]])
		and (.contestants | map(.fixed_threads) == [null, null, true])
		and (.again | map(.server_threads) == [1, 2])
		and (.noise_floor | map(.server_threads) == [1, 2])
		and (.calibration | map(.server_threads) == [1, 2])
		and (.contestants[1].trials[0].server.threads
			> .contestants[0].trials[0].server.threads)
		and (.scaling | map(.name) == ["http-json", "http-json", "fixed"])
		and .scaling[0].speedup.ratio == 1 and .scaling[1].speedup.ratio > 0
		and .scaling[1].speedup.ci95_low <= .scaling[1].speedup.ratio
		and .scaling[2].speedup == null
		and .scaling[2].speedup_reason == "its command takes no number of threads"' "$record"
	grep -q "^## Scaling" "$out/tiny.md"
}

@test "a round file may say so, and more threads than CPUs are told" {
	many=$(($(nproc) + 1))
	round "[1, $many]"
	run_round --trials 1 --only http-json
	expect_status 0
	expect_line "more threads than CPUs: the server has "
	expect_line "More threads than CPUs: the server's $many threads share "
	jq -e --argjson many "$many" '.contestants | map(.server_threads) == [1, $many]' "$record"
	run_round --trials 1 --only http-json --threads 2
	expect_status 0
	jq -e '.parameters.server_threads == 2 and (has("scaling") | not)' "$record"
}

@test "bad lists say what was expected" {
	for bad in 0 1, ,1 1,1 257 x 1,x -1 1.5 ""; do
		run_round --threads "$bad"
		expect_status 2
		expect_line "rpcbench: --threads: bad value '$bad', expected whole numbers of 1 to 256, each once, like 1,2"
	done
	round '[1, 0]'
	run_round
	expect_status 2
	expect_line "rpcbench: $round:11: threads[1]: expected a whole number of 1 to 256, got 0"
	round '[2, 2]'
	run_round
	expect_status 2
	expect_line "threads[1]: expected each number once, and 16 of them at most, got 2"
	[ ! -e "$record" ]
}
