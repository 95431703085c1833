#!/usr/bin/env bats
# Goal: whatever a contestant, a companion or a stranger does, its row says so, the others are
# measured, nothing of ours is left running and nobody else's process is touched.

setup() {
	load run-helpers
	load faults
	faults_setup
}

teardown() {
	faults_teardown
}

@test "ports: strangers on every address, and servers that listen elsewhere" {
	stranger 127.0.0.1
	local taken=$port
	stranger 127.0.0.2
	local other=$port
	stranger 0.0.0.0
	local any=$port
	list "$(fixed taken "$taken")" "$(fixed other "$other")" "$(fixed any "$any")" \
		"$(faulty elsewhere --address 127.0.0.2)" \
		"$(faulty claims --claim-port "$taken")" \
		"$(faulty zero --ready port=0)" \
		"$(faulty high --ready port=65536)" >"$file"
	round taken other any elsewhere claims zero high
	run_round --trials 1
	for pid in "${strangers[@]}"; do kill -0 "$pid"; done
	stop_strangers
	expect_status 1
	expect_failure taken "trial 1: port $taken is taken by pid ${stopped[0]} (python3)"
	expect_failure other null
	expect_failure any "trial 1: port $any is taken by pid ${stopped[2]} (python3)"
	expect_failure elsewhere "trial 1: printed READY port=*, but nothing listens on 127.0.0.1:*"
	expect_failure claims "trial 1: port $taken is taken by pid *, not by its own processes"
	expect_failure zero "trial 1: printed 'READY port=0', expected READY port=N"
	expect_failure high "trial 1: printed 'READY port=65536', expected READY port=N"
}

@test "ports: strangers on IPv6" {
	/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' \
		2>/dev/null || skip "this machine has no IPv6"
	stranger ::1
	local loopback=$port
	stranger ::
	list "$(fixed loopback "$loopback")" "$(fixed dual "$port")" >"$file"
	round loopback dual
	run_round --trials 1
	stop_strangers
	expect_status 1
	expect_failure loopback null
	expect_failure dual "trial 1: port $port is taken by pid ${stopped[1]} (python3)"
}

# connected: both connections of the load to $port are up.
connected() {
	local peer
	printf -v peer '0100007F:%04X 01' "$port"
	[ "$(grep -c " $peer " /proc/net/tcp)" -ge 2 ]
}

# join_during NAME LOADED JOINED: while NAME is loaded on port LOADED, a stranger joins on JOINED.
join_during() {
	round "$1"
	start_round --trials 1 --duration 2s --repeats 0
	port=$2
	eventually connected
	stranger 127.0.0.1 "$3"
	! wait "$harness"
	kill -0 "${strangers[0]}"
	stop_strangers
}

@test "ports: a stranger who joins during the load, beside a server and beside a companion" {
	stranger 127.0.0.1
	local shared=$port
	stranger 127.0.0.1
	local front=$port
	stop_strangers
	list "$(fixed shared "$shared" --reuse-port)" \
		"$(fixed front "$front" | jq '. + {companions: ["shared"]}')" >"$file"
	join_during shared "$shared" "$shared"
	expect_failure shared "trial 1: pid ${stopped[0]} (python3) listens on port $shared beside it since the load began: it may have answered"
	trial shared '.requests.ok > 0'
	join_during front "$front" "$shared"
	expect_failure front "trial 1: its companion shared: pid ${stopped[0]} (python3) listens on port $shared beside it since the load began: it may have answered"
}

@test "a Date that stands still is named, in a trial that is long enough to tell" {
	list "$(faulty frozen --frozen-date)" "$(faulty good)" >"$file"
	round frozen good
	run_round --trials 1 --duration 200ms --repeats 0
	expect_failure frozen null
	run_round --trials 1 --duration 2100ms --repeats 0
	expect_status 1
	expect_failure frozen "trial 1: verify after the load: find_one: frozen-date: it was '*' 2.* s ago, and still is"
	expect_failure good null
}

@test "starts that fail: each says how" {
	cp /bin/true "$BATS_TEST_TMPDIR/nolib"
	sed -i 's/libc\.so\.6/libq.so.6/' "$BATS_TEST_TMPDIR/nolib"
	printf 'no program\n' >"$BATS_TEST_TMPDIR/plain"
	printf '\177ELF nonsense' >"$BATS_TEST_TMPDIR/broken"
	chmod +x "$BATS_TEST_TMPDIR/broken"
	list "$(faulty good)" "$(command_of nolib '{dir}/nolib')" \
		"$(command_of plain '{dir}/plain')" "$(command_of broken '{dir}/broken')" \
		"$(command_of signal sh -c 'echo bye; kill -TERM $$')" \
		"$(faulty binary --ready $'\x01\xfe port=1')" \
		"$(faulty huge --huge-ready)" "$(faulty closes --close-stdout)" \
		"$(faulty wrong --version 2)" >"$file"
	round good nolib plain broken signal binary huge closes wrong
	run_round --trials 1
	expect_status 1
	expect_failure good null
	expect_failure nolib "trial 1: exited with status 127 before it was ready; it said: *libq.so.6: cannot open shared object file*"
	expect_failure plain "trial 1: cannot run $BATS_TEST_TMPDIR/plain: Permission denied"
	expect_failure broken "trial 1: exited with status 127 before it was ready; it said: *"
	expect_failure signal "trial 1: was killed by signal 15 (Terminated) before it was ready; it said: bye"
	expect_failure binary "trial 1: printed READY port=1, but nothing listens on *"
	expect_failure huge null
	expect_failure closes null
	expect_failure wrong 'trial 1: verify: find_one: reply.version: *'
}

@test "under load: crashes, halts, lies and leaks are rows with the numbers that there are" {
	list "$(faulty good)" "$(faulty crash --die-after 400)" \
		"$(faulty halt --stop-after 400)" "$(faulty late --wrong-after 400)" \
		"$(faulty after --wrong-connection 6)" "$(faulty warm --wrong-after 8)" \
		"$(faulty leak --leak)" "$(faulty flood --flood-always)" >"$file"
	round good crash halt late after warm leak flood
	run_round --trials 1 --warmup 10ms --duration 1500ms --repeats 0
	expect_status 1
	expect_failure good null
	expect_failure crash "trial 1: was killed by signal 11 (Segmentation fault) *"
	expect_failure halt "trial 1: was stopped by signal 19 (Stopped (signal)) *"
	trial crash '.requests.ok > 0 and .stopped'
	trial halt '.stopped'
	# Each reply of the window is checked; after it, a new connection is.
	[[ "$(failure late)" =~ mismatch|"after the load: find_one: reply.version" ]]
	trial late '.requests.ok >= 0 and .errors.mismatch > 0'
	expect_failure after 'trial 1: verify after the load: find_one: reply.version: *'
	trial after '.requests.ok > 0 and .requests.failed == 0'
	expect_failure warm "trial 1: verify after the load: find_one: reply.version: *"
	trial warm '.rps == 0 and .errors.mismatch > 0'
	[ "$(failure leak)" != null ]
	expect_failure flood null
	local log=build/logs
	[ "$(find "$log" -size +17M | wc -l)" -eq 0 ]
}

@test "what does not end by itself is ended: deaf servers, and workers in sessions of their own" {
	list "$(faulty deaf --ignore-term)" "$(faulty workers --workers --daemon)" >"$file"
	round deaf workers
	run_round --trials 1 --duration 500ms --repeats 0
	expect_status 0
	expect_line "rpcbench: deaf: did not end on SIGTERM and was killed"
	expect_line "rpcbench: workers: did not end on SIGTERM and was killed"
	# What they use is the server's.
	trial workers '.server.processes == 3 and .server.cpu_user_s > 0.02'
}

@test "a companion that fails is named, and ended" {
	stranger 127.0.0.1
	local faults=()
	fault() {
		local name=$1
		shift
		faults+=("$(faulty "c-$name" "$@")" "$(faulty "$name" |
			jq --arg c "c-$name" '. + {companions: [$c]}')")
	}
	fault never --never-ready
	fault dies --die-at-start 3
	fault claims --claim-port "$port"
	fault deaf --ignore-term
	fault workers --workers
	fault flood --flood-always
	fault halt --kill-self STOP
	fault crash --kill-self SEGV
	list "${faults[@]}" | jq '(.[] | select(.name == "c-never")).ready_timeout = "300ms"' >"$file"
	round never dies claims deaf workers flood halt crash
	run_round --trials 1 --duration 1s --repeats 0
	kill -0 "${strangers[0]}"
	stop_strangers
	expect_status 1
	expect_failure never "trial 1: its companion c-never: not ready within 300ms: *"
	expect_failure dies "trial 1: its companion c-dies: exited with status 3 *"
	expect_failure claims "trial 1: its companion c-claims: port * is taken by pid ${stopped[0]} *"
	expect_failure deaf null
	expect_failure workers null
	expect_failure flood null
	expect_failure halt "trial 1: its companion c-halt was stopped by signal 19 *"
	expect_failure crash "trial 1: its companion c-crash was killed by signal 11 *"
}
