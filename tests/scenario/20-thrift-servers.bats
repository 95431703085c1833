# The Thrift servers, called by Thrift libraries that are not ours, and by peers that mean ill.

HERE=$BATS_TEST_DIRNAME

# start VARIANTS [OPTION]...: runs the servers; sets $servers, as the clients take them.
start() {
	local variants=$1
	shift
	servers=()
	for variant in $variants; do
		"$RPCBENCH_BIN/thrift-$variant" --port 0 "$@" >"$BATS_TEST_TMPDIR/$variant" 2>&1 3>&- &
		servers+=("$variant::$!")
	done
	for i in "${!servers[@]}"; do
		variant=${servers[i]%%:*}
		for _ in {1..200}; do
			port=$(sed -n 's/^READY port=//p' "$BATS_TEST_TMPDIR/$variant")
			[ -z "$port" ] || break
			sleep 0.02
		done
		[ -n "$port" ]
		servers[i]=$variant:$port:${servers[i]##*:}
	done
}

# stop: ends the servers as the harness does; what was sent to them must not have made them print.
stop() {
	local server variant port pid
	for server in "${servers[@]}"; do
		IFS=: read -r variant port pid <<<"$server"
		kill "$pid" 2>/dev/null || true
		wait "$pid"
		[ "$(cat "$BATS_TEST_TMPDIR/$variant")" = "READY port=$port" ]
	done
	servers=()
}

teardown() {
	local server
	for server in "${servers[@]}"; do
		kill -KILL "${server##*:}" 2>/dev/null || true
	done
	tail -n 50 "$BATS_TEST_TMPDIR"/* || true
}

# python TEST VARIANTS [OPTION]...: a test of thrift_client.py, against servers with these options.
python() {
	local test=$1
	shift
	start "$@"
	/usr/bin/python3 "$HERE/thrift_client.py" "$test" "${servers[@]}"
	stop
}

TUNED="binary framed compact"

@test "Python's library calls them all" {
	python calls "$TUNED simple"
}

@test "Node's library calls them all" {
	[ -f "$HERE/../../build/npm/node/stamp" ] || skip "the npm packages are missing"
	start "$TUNED simple"
	NODE_PATH=$HERE/../../build/npm/node/node_modules node "$HERE/thrift_client.js" "${servers[@]}"
	stop
}

@test "binary messages without a version are answered without" {
	python old_messages "binary framed"
}

@test "many calls at once are answered in order" {
	python many_at_once "$TUNED simple"
}

@test "calls may come in any pieces" {
	python in_pieces "$TUNED"
}

@test "an unknown method is an exception, and the connection goes on" {
	python unknown_method "$TUNED simple"
}

@test "a missing required field is an exception, and the connection goes on" {
	python missing_field "$TUNED"
}

@test "unknown fields are skipped" {
	python missing_struct "$TUNED simple"
}

@test "a oneway call gets no reply" {
	python oneway "$TUNED"
}

@test "nesting is bounded" {
	python deep "$TUNED simple"
}

@test "malformed messages close the connection" {
	python malformed "$TUNED simple"
}

@test "messages over --body-limit close the connection" {
	python body_limit "$TUNED simple" --body-limit 1000
}

@test "peers that promise or do not read take no memory" {
	export ASAN_OPTIONS=quarantine_size_mb=1
	python memory "binary framed"
}

@test "random damage does no harm" {
	# guard.h says what the library of thrift-simple loses.
	echo leak:thrift_binary_protocol_read_message_begin >"$BATS_TEST_TMPDIR/lost"
	export LSAN_OPTIONS=suppressions=$BATS_TEST_TMPDIR/lost:print_suppressions=0
	python mutations "$TUNED simple"
}

@test "a drain finishes the message that is half here" {
	python drain "$TUNED"
}

@test "a peer that neither reads nor writes does not hold up the end" {
	python stop "framed simple"
}

@test "thrift-simple serves one connection after the other" {
	start simple
	IFS=: read -r _ port _ <<<"${servers[0]}"
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	/usr/bin/python3 "$HERE/thrift_client.py" calls "${servers[@]}" 5>&- 3>&- &
	client=$!
	sleep 0.3
	kill -0 "$client"
	exec 5>&-
	wait "$client"
	stop
}

@test "bad options are refused" {
	run "$RPCBENCH_BIN/thrift-simple" --threads 2
	[ "$status" = 2 ]
	run "$RPCBENCH_BIN/thrift-framed" --body-limit x
	[ "$status" = 2 ]
	run "$RPCBENCH_BIN/thrift-compact" --help
	[ "$status" = 0 ]
	[[ "$output" == *"compact protocol, framed"* ]]
}
