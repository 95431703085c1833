#!/usr/bin/env bats
# Goal: a contestant that needs others beside it gets them, with their ports; they are accounted
# for apart, noticed when they die, and gone afterwards.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	record=$out/tiny.json
	jq -n '{name: "tiny", title: "Tiny", call: "find_one", contestants: ["front"],
		levels: [{connections: 2, pipeline: 1}], trials: 1, duration: "300ms",
		warmup: "50ms"}' >"$BATS_TEST_TMPDIR/round.json"
}

teardown() {
	! pgrep -f -- "--mark $BATS_TEST_TMPDIR"
}

# topology ARGUMENT…: a front that wants two companions; ARGUMENTs are for the second of them.
topology() {
	local calls='{"find_one": {"url": "/test"}}' front
	# It starts only when it was given the ports of both.
	front='case "$1.$2" in [1-9]*.[1-9]*) exec "$0" --port "$3" ;; esac'
	list "$(manifest one http1 bare "$calls" --mark "$BATS_TEST_TMPDIR")" \
		"$(manifest two http1 bare "$calls" --mark "$BATS_TEST_TMPDIR" "$@")" \
		"$(jq -n --arg front "$front" --argjson calls "$calls" '{name: "front",
			protocol: "http1", class: "stock", calls: $calls, companions: ["one", "two"],
			command: ["sh", "-c", $front, "{bin}/http-json", "{one.port}", "{two.port}",
				"{port}"]}')" >"$file"
}

run_round() {
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/round.json" --manifest "$file" \
		--only front --out "$out"
}

@test "companions are started first and accounted for apart" {
	topology
	run_round
	expect_status 0
	# Each is stopped by SIGTERM, in its turn.
	[[ "$output" != *"was killed"* ]]
	jq -e '.contestants[0].trials[0] | .companions | length == 2 and .[0].name == "one" and
		.[1].cpu_user_s != null' "$record"
}

@test "a companion that dies under load is named" {
	topology --die-after 1
	sed -i 's/300ms/20s/' "$BATS_TEST_TMPDIR/round.json"
	(
		for _ in {1..100}; do
			sleep 0.05
			port=$(sed -n 's/^READY port=//p' build/logs/two-*.log 2>/dev/null | head -1)
			[ -z "$port" ] || break
		done
		sleep 0.3
		curl -s -o /dev/null "http://127.0.0.1:$port/test"
	) 3>&- &
	run_round
	wait
	expect_status 3
	jq -r '.contestants[0].trials[0].failure' "$record" | grep "its companion two was killed"
}

@test "a companion that does not come up is named" {
	topology --die-at-start 7
	run_round
	expect_status 3
	[[ "$output" == *"its companion two: "*"status 7"* ]]
}

@test "unknown companions and companions of companions are refused" {
	topology
	jq '.[2].companions = ["nobody"]' "$file" >"$file.new"
	mv "$file.new" "$file"
	run "$RPCBENCH_BIN/rpcbench" list --manifest "$file"
	expect_status 2
	[[ "$output" == *"companions: 'nobody': expected"* ]]
	topology
	jq '.[1].companions = ["one"]' "$file" >"$file.new"
	mv "$file.new" "$file"
	run "$RPCBENCH_BIN/rpcbench" list --manifest "$file"
	expect_status 2
	[[ "$output" == *"companions: 'two': expected"* ]]
}
