#!/usr/bin/env bats
# Goal: whatever happens to rpcbench itself while it measures, what was measured is kept, what it
# started is ended, and the user is told.

setup() {
	load run-helpers
	load faults
	faults_setup
}

teardown() {
	faults_teardown
}

# is_ready NAME: the contestant of $harness has printed READY.
is_ready() {
	grep -qs READY "build/logs/$1-$harness.log"
}

# ended WHO STATUS: waits for the process, and checks its exit status.
ended() {
	local status=0
	wait "$1" || status=$?
	[ "$status" -eq "$2" ] || {
		echo "$1 ended with status $status, expected $2"
		return 1
	}
}

@test "SIGKILL, in each phase: the servers go with it" {
	list "$(faulty never --never-ready | jq '. + {ready_timeout: "100s"}')" \
		"$(faulty silent --silent)" "$(faulty good --workers)" "$(faulty deaf --ignore-term)" \
		>"$file"
	local started=() phase
	export ROUND_TIMEOUT=100s
	for phase in never silent good; do
		round "$phase"
		start_round --warmup 100s
		started+=("$harness")
		[ "$phase" = never ] || eventually is_ready "$phase"
	done
	round deaf
	start_round --duration 100s
	started+=("$harness")
	eventually is_ready deaf
	sleep 0.3
	kill -KILL "${started[@]}"
	for harness in "${started[@]}"; do ended "$harness" 137; done
	eventually none_is_left
}

@test "SIGINT, SIGTERM and SIGHUP, in each phase: exit status, record, nothing left" {
	list "$(faulty never --never-ready | jq '. + {ready_timeout: "100s"}')" \
		"$(faulty silent --silent)" "$(faulty good)" "$(faulty deaf --ignore-term)" >"$file"
	local harnesses=() base=$out
	export ROUND_TIMEOUT=100s
	begin() {
		round "$1"
		out=$base/$2
		start_round "${@:3}"
		harnesses+=("$harness")
	}
	begin never starting
	begin silent verifying
	eventually is_ready silent
	begin good warm-up --warmup 100s
	eventually is_ready good
	begin good window --duration 100s
	eventually is_ready good
	begin deaf stopping --trials 1 --repeats 0
	eventually is_ready deaf
	sleep 0.8
	kill -TERM "${harnesses[0]}" "${harnesses[2]}"
	kill -HUP "${harnesses[1]}" "${harnesses[4]}"
	kill -INT "${harnesses[3]}"
	ended "${harnesses[0]}" 143
	ended "${harnesses[1]}" 129
	ended "${harnesses[2]}" 143
	ended "${harnesses[3]}" 130
	ended "${harnesses[4]}" 129
	none_is_left
	for phase in starting verifying warm-up window stopping; do
		jq -e .interrupted "$base/$phase/tiny.json"
	done
}

@test "what a killed run left is named and ended by the next, and a stranger of its pid is not" {
	list "$(faulty good)" >"$file"
	local notes=$XDG_RUNTIME_DIR/rpcbench boot left stranger
	boot=$(cat /proc/sys/kernel/random/boot_id)
	mkdir -m 700 "$notes"
	sleep 100 3>&- &
	left=$!
	sleep 100 3>&- &
	stranger=$!
	printf 'boot %s\ncommand rpcbench run old\n%d %d left over\n%d 1 sleep\n' "$boot" "$left" \
		"$(awk '{print $22}' "/proc/$left/stat")" "$stranger" >"$notes/run-1"
	# Before the machine was started anew, these were others.
	printf 'boot another\ncommand rpcbench run older\n%d %d sleep\n' "$stranger" \
		"$(awk '{print $22}' "/proc/$stranger/stat")" >"$notes/run-2"
	printf 'no notes at all' >"$notes/run-3"
	round good
	run_round --trials 1 --repeats 0
	expect_status 0
	kill "$stranger"
	ended "$left" 137
	expect_line "an earlier run was killed (pid 1, rpcbench run old) and left pid $left (left over) running: it has been ended"
	[[ "$output" != *"pid $stranger "* ]]
	[ -z "$(ls -A "$notes")" ]
	run_round --trials 1 --repeats 0
	[[ "$output" != *"earlier run"* ]]
}

@test "two at the same time are told of each other, and leave each other alone" {
	list "$(faulty first)" "$(faulty second)" >"$file"
	round first
	out=$BATS_TEST_TMPDIR/first
	start_round --duration 100s
	eventually is_ready first
	out=$BATS_TEST_TMPDIR/out
	round second
	run_round --trials 1 --repeats 0
	expect_status 0
	expect_line "another run is in progress (pid $harness, rpcbench run "
	kill -0 "$harness"
	eventually is_ready first
	kill -INT "$harness"
	ended "$harness" 130
}

@test "a keeper that is killed takes its server with it, and the others are measured" {
	list "$(faulty orphan --workers)" "$(faulty good)" >"$file"
	round orphan good
	start_round --trials 1 --warmup 2s --repeats 0
	local notes=$XDG_RUNTIME_DIR/rpcbench
	eventually grep -qs python3 "$notes/run-$harness"
	eventually eval 'is_ready orphan || is_ready good'
	if is_ready good; then eventually is_ready orphan; fi
	kill -KILL "$(awk '/keeper/ {print $1}' "$notes/run-$harness" | tail -1)"
	ended "$harness" 1
	expect_failure orphan "trial 1: was killed together with its keeper *"
	expect_failure good null
}

@test "rpcbench stopped for a while: the trial is repeated, and that is said" {
	list "$(faulty good)" >"$file"
	round good
	start_round --trials 1 --duration 2s --repeats 1
	eventually is_ready good
	sleep 1
	kill -STOP "$harness"
	sleep 1.5
	kill -CONT "$harness"
	ended "$harness" 0
	grep "rpcbench: good: disturbed, and repeated: .*rpcbench itself did not run for 1\." "$said"
	jq -e '.contestants[0] | (.trials | length == 1) and .repeated[0].disturbance.stall_s > 1 and
		.repeated[0].rps > 0' "$record"
	grep -q "^.*good: 1 trial was disturbed, and repeated\." "$out/tiny.md"
}

@test "a machine that is always loaded: the round ends, and the row is marked" {
	list "$(faulty good)" >"$file"
	round good
	local burners=() i
	for i in $(seq "$(nproc)"); do
		sh -c 'while :; do :; done' burner "$i" 3>&- &
		burners+=($!)
	done
	run_round --trials 2 --duration 600ms --repeats 2
	local repeated=$status
	jq -e '.contestants[0] | (.trials | length == 2) and (.repeated | length == 2) and
		all(.trials[]; .disturbance.disturbed and .disturbance.foreign_cpus > 0.1)' "$record"
	grep -q "good: DISTURBED: 2 of its trials, the last because other processes used" "$out/tiny.md"
	run_round --quick
	kill "${burners[@]}"
	[ "$repeated" -eq 0 ]
	expect_status 0
	jq -e '.contestants[0] | .repeated == null' "$record"
}

@test "a results folder that cannot be written is found before anything is started" {
	list "$(faulty good)" >"$file"
	round good
	touch "$BATS_TEST_TMPDIR/file"
	out=$BATS_TEST_TMPDIR/file run_round
	expect_status 2
	expect_line "rpcbench: cannot make the folder $BATS_TEST_TMPDIR/file: Not a directory"
	# A limit of file sizes stands for a full disk where none can be made.
	run bash -c 'ulimit -f 100; exec "$@"' limited "$RPCBENCH_BIN/rpcbench" run \
		"$round_file" --manifest "$file" --out "$out"
	expect_status 2
	expect_line "rpcbench: cannot write to the folder $out: File too large"
	[[ "$output" != *"trial"* ]]
	[ -z "$(ls -A "$out")" ]
}

@test "a disk that is full or read-only is found before anything is started" {
	unshare -m true 2>/dev/null || skip "no file system can be mounted here"
	list "$(faulty good)" >"$file"
	round good
	mkdir "$out"
	local mount
	for mount in size=512k:"No space left on device" ro:"Read-only file system"; do
		run unshare -m sh -c 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"' sh \
			"${mount%%:*}" "$out" "$RPCBENCH_BIN/rpcbench" run \
			"$round_file" --manifest "$file" --out "$out"
		expect_status 2
		expect_line "rpcbench: cannot write to the folder $out: ${mount#*:}"
		[[ "$output" != *"trial"* ]]
	done
}

@test "a results folder that fails in mid-run: the record is kept elsewhere, or printed" {
	list "$(faulty good)" >"$file"
	round good
	export TMPDIR=$BATS_TEST_TMPDIR/spare
	mkdir "$TMPDIR"
	start_round --trials 2 --warmup 1s --repeats 0
	eventually is_ready good
	rm -r "$out"
	ended "$harness" 1
	grep "cannot write $out/tiny.json: No such file" "$said"
	grep "the record is kept in $TMPDIR/rpcbench-tiny-$harness.json" "$said"
	grep "good  *stock" "$said"
	jq -e '.contestants[0].trials | length == 2' "$TMPDIR/rpcbench-tiny-$harness.json"

	export TMPDIR=$BATS_TEST_TMPDIR/nowhere
	start_round --trials 1 --warmup 1s --repeats 0
	eventually is_ready good
	rm -r "$out"
	ended "$harness" 1
	grep "could not be written anywhere, and is printed" "$said"
	sed -n '/^{/,/^}/p' "$said" | jq -e '.contestants[0].trials | length == 1'
}

@test "a table that cannot be printed: the record is whole" {
	list "$(faulty good)" >"$file"
	round good
	run sh -c '"$@" >/dev/full' sh "$RPCBENCH_BIN/rpcbench" run \
		"$round_file" --manifest "$file" --out "$out" --trials 1
	expect_status 1
	expect_line "rpcbench: cannot print the table: No space left on device"
	jq -e '.interrupted == false and (.contestants[0].trials | length == 1)' "$record"
}
