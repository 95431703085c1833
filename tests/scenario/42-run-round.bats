#!/usr/bin/env bats
# Goal: rpcbench run measures what can be measured and says why the rest was not; nothing is left
# running, whatever the contestants or the user do.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
	out=$BATS_TEST_TMPDIR/out
	record=$out/tiny.json
}

# Peers are started with the test's folder among their arguments.
none_is_left() {
	! pgrep -f -- "--mark $BATS_TEST_TMPDIR|$BATS_TEST_TMPDIR/nginx.conf|--directory $BATS_TEST_TMPDIR"
}

teardown() {
	none_is_left
}

TEST='{"find_one": {"url": "/test"}}'

# round CONTESTANT…: writes a short round of them.
round() {
	jq -n '{name: "tiny", title: "Tiny", call: "find_one", contestants: $ARGS.positional,
		levels: [{connections: 2, pipeline: 1}], trials: 2, duration: "200ms",
		warmup: "50ms"}' --args "$@" >"$BATS_TEST_TMPDIR/tiny-round.json"
}

run_round() {
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/tiny-round.json" --manifest "$file" \
		--out "$out" "$@"
}

# failure NAME: why this row failed, from the record.
failure() {
	jq -r --arg name "$1" '.contestants[] | select(.name == $name) | .summary.failure' "$record"
}

# expect_failure NAME TEXT: this row failed for this reason; "null": it did not.
expect_failure() {
	[[ "$(failure "$1")" == $2 ]] || {
		echo "failure of $1: $(failure "$1"), expected $2"
		return 1
	}
}

# marked PEER…: a manifest with an argument that teardown finds.
marked() {
	manifest "$@" | sed "s|\"--port\"|\"--mark\", \"$BATS_TEST_TMPDIR\", \"--port\"|"
}

@test "good contestants are measured in trials, in random order" {
	list "$(marked a http1 stock "$TEST")" "$(marked b http1 tuned "$TEST" --fork 2)" \
		"$(marked c http1 stock '{"hello": {"url": "/"}}')" >"$file"
	round a b c
	run_round --seed 7
	expect_status 0
	expect_line "left out: c does not serve find_one"
	expect_line "2 contestants, 2 trials of 200ms after 50.0ms of warm-up"
	expect_line "[4/4] "
	jq -e '.schema == "rpcbench/1" and .round == "tiny" and .seed == 7 and .quick == false
		and .interrupted == false and .parameters.trials == 2
		and (.contestants | map(.trials | length) == [2, 2, 0])
		and (.contestants[:2] | all(.summary.failure == null and (.trials
			| all(.requests.failed == 0 and .server.cpu_user_s != null
				and .body_learned == false))))
		and .contestants[1].trials[0].server.processes == 3
		and .contestants[2].skipped == "does not serve find_one"' "$record"
	grep -q "| a |" "$out/tiny.md"
	run "$RPCBENCH_BIN/rpcbench" report "$record"
	expect_status 0
}

@test "each failure is a row that says why, and the others go on" {
	list "$(marked good http1 stock "$TEST")" \
		"$(marked never http1 stock "$TEST" --never-ready | sed 's/"name"/"ready_timeout": "300ms", &/')" \
		"$(marked wrong http1 stock "$TEST" --version 1.0)" \
		"$(marked dies http1 stock "$TEST" --die-at-start 3)" \
		"$(marked crash http1 stock "$TEST" --die-after 40)" \
		"$(marked late http1 stock "$TEST" --wrong-after 40)" \
		"$(marked flood http1 stock "$TEST" --flood 20)" \
		"$(marked claims http1 stock "$TEST" --claim-port 1)" >"$file"
	round good never wrong dies crash late flood claims
	run_round
	expect_status 1
	expect_line "rpcbench: never: not ready within 300ms: printed no READY port=N"
	expect_failure good null
	expect_failure flood null
	expect_failure never "trial 1: not ready within 300ms: printed no READY port=N"
	expect_failure wrong 'trial 1: verify: find_one: reply.version: expected "1.0.0", got "1.0"'
	expect_failure dies "trial 1: exited with status 3 before it was ready; it said: about to end"
	expect_failure crash "trial 1: was killed by signal 11 (Segmentation fault) *"
	[[ "$(failure late)" =~ "mismatch" || "$(failure late)" =~ "after the load: find_one: reply.version" ]]
	expect_failure claims "trial 1: printed READY port=1, but nothing listens on 127.0.0.1:1"
	jq -e '.contestants | map(select(.name == "crash" or .name == "dies")) | all(.trials | length == 1)' "$record"
	jq -e '.contestants[] | select(.name == "crash") | .trials[0].stopped' "$record"
	log=$(jq -r '.contestants[] | select(.name == "dies") | .log' "$record")
	[ "$(cat "$log")" = "about to end" ]
}

@test "a taken port is named with its owner, and its owner is left alone" {
	/usr/bin/python3 tests/peers/http_peer.py >"$BATS_TEST_TMPDIR/stranger" &
	stranger=$!
	eventually grep -q READY "$BATS_TEST_TMPDIR/stranger"
	port=$(sed -n 's/READY port=//p' "$BATS_TEST_TMPDIR/stranger")
	list "$(marked taken http1 stock "$TEST" | sed "s/\"name\"/\"port\": $port, &/")" \
		"$(marked claims http1 stock "$TEST" --claim-port "$port")" >"$file"
	round taken claims
	run_round
	kill -0 "$stranger"
	kill "$stranger"
	expect_status 3
	expect_failure taken "trial 1: port $port is taken by pid $stranger (python3)"
	expect_failure claims "trial 1: port $port is taken by pid $stranger (python3), not by its own processes"
}

@test "what the server uses is sampled every second, and adds up" {
	list "$(marked a http1 stock "$TEST" --fork 1)" >"$file"
	round a
	run_round --trials 1 --duration 1700ms
	expect_status 0
	jq -e '.contestants[0].trials[0] as $t | $t.server.per_second
		| length == 2 and .[0].t_s == 0 and .[1].t_s >= 1 and .[1].t_s < 1.7
		and all(.rss_bytes > 1000000 and .cpu_percent >= 0)
		and (.[1].t_s * .[0].cpu_percent + ($t.duration_s - .[1].t_s) * .[1].cpu_percent) / 100
			- $t.server.cpu_user_s - $t.server.cpu_system_s < 0.1' "$record"
	jq -e '.contestants[0].summary | .server_cpu_percent > 0 and .max_rss_bytes > 1000000' "$record"
}

@test "a server that knows nothing of us: Python's http.server" {
	jq .reply protos/expect/find_one.json >"$BATS_TEST_TMPDIR/test.json"
	cat >"$file" <<-END
		{"name": "python", "protocol": "http1", "class": "stock", "ready": "port",
		 "command": ["python3", "-m", "http.server", "--bind", "{host}", "--directory", "{dir}", "{port}"],
		 "max_connections": 1, "calls": {"find_one": {"url": "/test.json"}}}
	END
	round python
	# What options change is not written to where results are published.
	run "$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/tiny-round.json" --manifest "$file" \
		--trials 1 --duration 500ms
	expect_status 0
	expect_line "wrote $PWD/build/results/tiny.json and $PWD/build/results/tiny.md"
	record=build/results/tiny.json
	jq -e '.contestants[0].trials[0] | .rps > 0 and .connections.requested == 1' "$record"
	jq -e '.contestants[0].connections == 1' "$record"
}

@test "a server that knows nothing of us, on a fixed port: nginx" {
	command -v nginx || skip "nginx is missing"
	port=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
	body=$(jq -c .reply protos/expect/find_one.json)
	cat >"$BATS_TEST_TMPDIR/nginx.conf" <<-END
		daemon off;
		pid $BATS_TEST_TMPDIR/nginx.pid;
		error_log stderr;
		events {}
		http {
			access_log off;
			client_body_temp_path $BATS_TEST_TMPDIR/b;
			proxy_temp_path $BATS_TEST_TMPDIR/p;
			fastcgi_temp_path $BATS_TEST_TMPDIR/f;
			uwsgi_temp_path $BATS_TEST_TMPDIR/u;
			scgi_temp_path $BATS_TEST_TMPDIR/s;
			server {
				listen 127.0.0.1:$port;
				location = /test { default_type application/json; return 200 '$body'; }
			}
		}
	END
	cat >"$file" <<-END
		{"name": "nginx-here", "protocol": "http1", "class": "stock", "port": $port,
		 "command": ["nginx", "-e", "stderr", "-c", "{dir}/nginx.conf"],
		 "requires": ["nginx", "{dir}/nginx.conf"], "calls": {"find_one": {"url": "/test"}}}
	END
	round nginx-here
	run_round --trials 1 --duration 500ms
	expect_status 0
	jq -e '.contestants[0].trials[0] | .rps > 0 and .server.processes >= 2' "$record"
}

@test "Ctrl-C keeps finished trials, writes the record, and leaves no process" {
	list "$(marked a http1 stock "$TEST" --fork 1)" >"$file"
	round a
	"$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/tiny-round.json" --manifest "$file" \
		--out "$out" --trials 1000 >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" &
	harness=$!
	eventually grep -q '^\[2/' "$BATS_TEST_TMPDIR/stderr"
	sleep 0.2
	kill -INT "$harness"
	status=0
	wait "$harness" || status=$?
	[ "$status" -eq 130 ]
	jq -e '.interrupted and (.contestants[0].trials | length >= 2)
		and .contestants[0].summary.rps.n >= 2' "$record"
	grep -q INTERRUPTED "$BATS_TEST_TMPDIR/stdout"
}

@test "a server does not outlive a killed harness" {
	list "$(marked a http1 stock "$TEST")" >"$file"
	round a
	"$RPCBENCH_BIN/rpcbench" run --repeats 0 "$BATS_TEST_TMPDIR/tiny-round.json" --manifest "$file" \
		--out "$out" --duration 100s 2>"$BATS_TEST_TMPDIR/stderr" &
	harness=$!
	eventually pgrep -f -- "--mark $BATS_TEST_TMPDIR"
	sleep 0.3
	kill -KILL "$harness"
	eventually none_is_left
}

@test "when nobody can take part, what was measured before stays" {
	list "$(marked c http1 stock '{"hello": {"url": "/"}}')" >"$file"
	round c
	mkdir -p "$out"
	echo before >"$record"
	run_round
	[ "$status" -ne 0 ]
	expect_line "c: left out: does not serve find_one"
	expect_line "no contestant is left to measure"
	[ "$(cat "$record")" = before ]
}

@test "what is wrong on the command line or in a round starts nothing" {
	list "$(marked a http1 stock "$TEST")" >"$file"
	round a
	run_round --only a,nobody
	expect_status 2
	expect_line "rpcbench: unknown contestant 'nobody', expected one of: "
	run_round --trials 0
	expect_status 2
	expect_line "rpcbench: --trials: bad value '0', expected a whole number of 1 to 1000"
	run_round --skip a
	expect_status 2
	expect_line "rpcbench: no contestant is left to measure"
	run "$RPCBENCH_BIN/rpcbench" run round9
	expect_status 2
	expect_line "rpcbench: unknown round 'round9', expected a file or one of: cities hello message plaintext round1 round2"
	round a b
	run_round
	expect_status 2
	expect_line "rpcbench: $BATS_TEST_TMPDIR/tiny-round.json:7: contestants[1]: unknown contestant 'b'; rpcbench list shows them"
	[ ! -e "$record" ]
}
