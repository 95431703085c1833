#!/usr/bin/env bats
# Goal: a trial begins when the kernel has local ports for it, says that it waits and why, and its
# row says when it began with too few.

setup() {
	load run-helpers
	load faults
	faults_setup
	cat >"$BATS_TEST_TMPDIR/crowd.py" <<'END'
# Holds 60 of 100 local ports in a network of its own, runs a command, and lets them go when the
# file named first exists. With "close" 30 of them are in TIME_WAIT.
import fcntl, os, socket, struct, subprocess, sys, time
with socket.socket() as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x49))  # SIOCSIFFLAGS: up, running
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as f:
    f.write("20000 20099")
server = socket.create_server(("127.0.0.1", 19000), backlog=128)
ends = [socket.create_connection(("127.0.0.1", 19000)) for _ in range(60)]
ends += [server.accept()[0] for _ in range(60)]
if sys.argv[2] == "close":
    for end in ends[:30] + ends[60:90]:
        end.close()
command = subprocess.Popen(sys.argv[3:])
while command.poll() is None:
    if ends and os.path.exists(sys.argv[1]):
        for end in ends:
            if end.fileno() >= 0:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.close()
        ends = []
    time.sleep(0.02)
sys.exit(command.returncode)
END
}

teardown() {
	faults_teardown
}

# crowded close|keep: starts the round beside the crowd; sets $harness. Its output is in $said.
crowded() {
	unshare -n sh -c 'echo 20000 20099 >/proc/sys/net/ipv4/ip_local_port_range' 2>/dev/null ||
		skip "no network namespace of its own here"
	said=$BATS_TEST_TMPDIR/said
	unshare -n /usr/bin/python3 "$BATS_TEST_TMPDIR/crowd.py" "$BATS_TEST_TMPDIR/go" "$1" \
		"$RPCBENCH_BIN/rpcbench" run "$round_file" --manifest "$file" --out "$out" \
		--only "$only" --trials 1 --repeats 0 >"$said" 2>&1 3>&- &
	harness=$!
	harnesses_started+=("$harness")
}

@test "a trial waits while closed connections keep local ports" {
	list "$(faulty good)" >"$file"
	round good
	crowded close
	eventually grep -q 'waits up to' "$said"
	touch "$BATS_TEST_TMPDIR/go"
	wait "$harness"
	output=$(cat "$said")
	[[ "$output" =~ "waits up to 65.0s for local ports: "[0-9]+" of 100 are free, 66 may be" ]]
	trial good '.ports | .needed == 66 and .free >= 66 and .time_wait >= 30 and .waited_s > 0'
	[[ "$output" != *"FEW PORTS"* ]]
}

@test "it goes on when waiting frees no ports, and the row says so" {
	list "$(faulty good)" >"$file"
	round good
	crowded keep
	wait "$harness"
	output=$(cat "$said")
	trial good '.ports | .needed == 66 and .free < 66 and .waited_s == 0'
	expect_line "good: FEW PORTS: 1 of its trials, the last with "
	expect_line " free local ports of 66 that it may need."
}

@test "a contestant that closes connections needs more local ports" {
	list "$(faulty closes | jq '.calls.find_one.headers = {Connection: "close"}')" >"$file"
	round closes
	run_round --repeats 0
	jq -e '.contestants[0].trials | .[0].ports.needed == 66 and .[1].ports.needed > 66' "$record"
}
