# make compare-tools: its runner, its record and its page, with the load generators that are here.

load helper

tools=$BATS_TEST_DIRNAME/../tools

compare() {
	run /usr/bin/python3 "$tools/compare_tools.py" --bin "$RPCBENCH_BIN" --out "$BATS_TEST_TMPDIR" "$@"
	echo "$output"
}

@test "figures are picked and judged, and the same record gives the same page" {
	run /usr/bin/python3 "$tools/test_judge.py"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "two scenarios of the plan: a row for each tool, and a page that its record gives again" {
	compare --only requests-over-connections,connections-over-threads
	[ "$status" -eq 0 ]
	output=$(<"$BATS_TEST_TMPDIR/tools.json")
	json '.schema == "rpcbench-tools/1" and
		[.scenarios[].name] == ["connections-over-threads", "requests-over-connections"]'
	json '(.tools | keys) as $tools | all(.scenarios[]; ([.rows[].tool] | sort) == $tools)'
	# What ran has counts of the server, a command to repeat it, and a verdict with its reason.
	json 'all(.scenarios[].rows[]; .left_out or (.server.accepted >= 1 and (.right | type) == "boolean"
		and .right == (.broken == []) and (.command | contains("http://127.0.0.1:8080/"))))'
	json '[.scenarios[].rows[] | select(.tool == "rpcbench") | .right] == [true, true]'
	json '.scenarios[1].rows[0] | .server.requests == 10 and .figures.completed.value == 10'
	page=$(<"$BATS_TEST_TMPDIR/tools.md")
	[[ $page == *'| [requests-over-connections](#requests-over-connections) | right |'* ]]
	[[ $page != *"$BATS_TEST_TMPDIR"* ]]
	rm "$BATS_TEST_TMPDIR/tools.md"
	compare --render "$BATS_TEST_TMPDIR/tools.json"
	[ "$page" = "$(<"$BATS_TEST_TMPDIR/tools.md")" ]
}

# A plan of one scenario, whose tool is a shell: plan TOOL COMMAND RULE
plan() {
	cat >"$BATS_TEST_TMPDIR/plan.json" <<-END
		{"title": "T", "tools": {"$1": {"program": "$1", "version": ["echo", "1"],
		  "figures": {"done": {"pattern": "done ([0-9]+)"}}}},
		 "scenarios": [{"name": "s", "fault": "f", "truth": "t", "limit_s": 1,
		  "server": {"protocol": "http1", "rules": ["all: delay 1ms"]},
		  "rules": [$3], "tools": {"$1": {"command": "$2"}}}]}
	END
}

@test "a wrong figure is wrong, a tool that does not end is stopped, one that is not here is left out" {
	counted='{"says": "one", "figure": "done", "is": "==", "to": "server.requests"}'
	plan sh "sh -c 'curl -s {url}; echo done 1'" "$counted"
	compare "$BATS_TEST_TMPDIR/plan.json"
	[[ $output == "s: sh: right" ]]
	plan sh "sh -c 'curl -s {url}; echo done 2'" "$counted"
	compare "$BATS_TEST_TMPDIR/plan.json"
	[[ $output == "s: sh: **wrong**, fails: one" ]]
	plan sh "sh -c 'curl -s {url}; echo done 1; sleep 60'" "$counted"
	compare "$BATS_TEST_TMPDIR/plan.json"
	[[ $output == "s: sh: **wrong**, fails: it ends by itself" ]]
	plan no-such-tool "no-such-tool {url}" "$counted"
	compare "$BATS_TEST_TMPDIR/plan.json"
	[[ $output == "s: no-such-tool: left out: no-such-tool is not installed" ]]
	compare --only nonsense "$BATS_TEST_TMPDIR/plan.json"
	[ "$status" -eq 1 ]
	[[ $output == *"no 'nonsense' in the plan"* ]]
}

@test "rpcbench report leaves this record to its own program" {
	cd "$BATS_TEST_TMPDIR"
	mkdir results
	echo '{"schema": "rpcbench-tools/1"}' >results/tools.json
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e results/tools.md ]
}
