#!/usr/bin/env bats
# Goal: rpcbench list shows what there is, here and where it was installed, and says what is wrong
# in a manifest.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
}


@test "list shows contestants of a manifest and the rounds" {
	cat >"$BATS_TEST_TMPDIR/m.json" <<-END
		{"name": "mine", "protocol": "http1", "class": "tuned", "command": ["no-such-thing"],
		 "calls": {"hello": {"url": "/"}, "find_one": {"url": "/test"}}}
	END
	run "$RPCBENCH_BIN/rpcbench" list --manifest "$BATS_TEST_TMPDIR/m.json"
	expect_status 0
	[[ "$output" =~ mine\ +tuned\ +http1\ +hello,find_one\ +"needs no-such-thing, which is not in PATH" ]]
	[[ "$output" =~ round1\ +10\ +2.00s\ +find_one\ +Round\ 1 ]]
}

@test "a bad manifest is named with its line, and nothing else is printed" {
	printf '{"name": "mine",\n "class": "fast"}\n' >"$BATS_TEST_TMPDIR/m.json"
	run "$RPCBENCH_BIN/rpcbench" list --manifest "$BATS_TEST_TMPDIR/m.json"
	expect_status 2
	[ "$output" = "rpcbench: $BATS_TEST_TMPDIR/m.json:1: expected the key protocol, which is missing" ]
	run "$RPCBENCH_BIN/rpcbench" list --manifest "$BATS_TEST_TMPDIR/none.json"
	expect_status 2
	[ "$output" = "rpcbench: cannot read $BATS_TEST_TMPDIR/none.json: No such file or directory" ]
}

@test "what was installed finds its data beside itself" {
	prefix=$BATS_TEST_TMPDIR/usr
	mkdir -p "$prefix/bin" "$prefix/libexec/rpcbench" "$prefix/share/rpcbench"
	cp "$RPCBENCH_BIN/rpcbench" "$prefix/bin"
	cp -r --parents harness/rounds protos/expect "$prefix/share/rpcbench"
	cd /
	run "$prefix/bin/rpcbench" list
	expect_status 0
	[[ "$output" =~ round2 ]]
	mv "$prefix/share" "$prefix/other"
	run "$prefix/bin/rpcbench" list
	expect_status 2
	[[ "$output" =~ "PREFIX/share/rpcbench" ]]
}

@test "doctor tells the machine, as the record has it, and gives advice" {
	run "$RPCBENCH_BIN/rpcbench" doctor
	[ "$status" -eq 0 ]
	[[ "$output" =~ (What makes|Nothing known makes)" numbers worse" ]]
	[[ "$output" =~ "ip_local_port_range $(tr '\t' ' ' </proc/sys/net/ipv4/ip_local_port_range)" ]]
	"$RPCBENCH_BIN/rpcbench" doctor --json | jq -e '.cores > 0 and .kernel != null'
	run "$RPCBENCH_BIN/rpcbench" doctor now
	[ "$status" -eq 2 ]
}
