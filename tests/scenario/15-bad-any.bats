# Faults that any server may have, of each protocol: connections, times, counts of both ends.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

all=(http1 h2c grpc thrift-framed thrift-binary)
some=(http1 grpc thrift-framed) # where the faults take their time

@test "exactly n requests, over connections that do not divide it" {
	for protocol in "${all[@]}"; do
		bad "$protocol"
		load_json -n 10 -c 3
		[ "$status" -eq 0 ]
		json '.requests | .sent == 10 and .ok == 10 and .inflight_at_end == 0' >/dev/null
		stop
		[ "$(saw requests)" -eq 10 ]
		[ "$(saw replies)" -eq 10 ]
	done
}

@test "all connections are opened and used, also those left by division" {
	for protocol in http1 grpc; do
		bad "$protocol" 'all: delay 2ms'
		load_json -n 400 -c 15 -t 8
		json '.connections | .requested == 15 and .established == 15 and .served == 15'
		stop
		[ "$(saw accepted)" -eq 15 ]
		[ "$(saw requests)" -eq 400 ]
	done
}

@test "one more than a million: the last ones count as much as the first" {
	bad http1 'from 1000001: delay 30ms'
	load_json -n 1003000 -c 20 -p 50 --timeout 20s
	[ "$status" -eq 0 ]
	json '.requests.ok == 1003000 and .latency_ns.count == 1003000 and .latency_ns.max >= 30e6'
	json '.latency_ns | .p99_9 >= 30e6 and .p50 <= .p99 and .p99 <= .p99_9 and .p99_9 <= .max'
	stop
	[ "$(saw requests)" -eq 1003000 ]
	[ "$(jq .checks.bytes.received "$BATS_TEST_TMPDIR/trial.json")" -eq "$(saw tx_bytes)" ]
}

@test "sent is what the server saw; in flight at the end is told, or waited for" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'all: delay 200ms'
		load_json -c 20 -d 0.5s
		[ "$status" -eq 0 ]
		json '.requests.inflight_at_end == 20 and .requests.oldest_inflight_s > 0' >/dev/null
		sent=$(jq .requests.sent "$BATS_TEST_TMPDIR/trial.json")
		stop
		[ "$(saw requests)" -eq "$sent" ]

		bad "$protocol" 'all: delay 200ms'
		load_json -c 20 -d 0.3s --drain
		[ "$status" -eq 0 ]
		json '.requests | .inflight_at_end == 0 and .ok == .sent' >/dev/null
		sent=$(jq .requests.sent "$BATS_TEST_TMPDIR/trial.json")
		stop
		[ "$(saw requests)" -eq "$sent" ]
		[ "$(saw replies)" -eq "$sent" ]
	done
}

@test "--drain waits for a time-out at most" {
	for protocol in http1 grpc; do
		bad "$protocol" 'from 11: drop'
		load_json -c 10 -d 0.2s --drain --timeout 300ms
		[ "$status" -eq 1 ]
		json '.requests.inflight_at_end == 0 and .requests.ok == 10 and .errors.timeout >= 10'
		stop
	done
	run "$RPCBENCH_BIN/rpcbench" load --drain --rate 10 -d 1s "$url"
	[ "$status" -eq 3 ]
	[[ "$output" == *--drain* ]]
}

@test "a server that never answers: a time-out each, and no latency" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'all: drop'
		load_json -c 4 -d 0.9s --timeout 300ms
		[ "$status" -eq 1 ]
		json '.errors.timeout >= 4 and .requests.ok == 0 and .latency_ns == null and
			(.latency_ns_reason | length > 0) and .rps == 0' >/dev/null
		stop
	done
	bad http1 'all: drop'
	run "$RPCBENCH_BIN/rpcbench" load -n 2 -c 1 --timeout 100ms --fail-if 'p99<100ms' "$url"
	[[ "$output" != *nan* && "$output" != *-1* ]]
	[[ "$output" =~ "p99<100ms did not hold: p99 is at least 1"[0-9.]+"ms: all requests timed out" ]]
}

@test "replies slower than the time-out do not vanish" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'every 20: delay 900ms'
		load_json -n 200 -c 10 --timeout 400ms
		[ "$status" -eq 1 ]
		json '.errors == {"timeout": 10} and .requests.ok == 190 and
			.failed_latency_ns.min >= 400e6 and .latency_ns.max < 900e6' >/dev/null
		stop
	done
}

@test "one reply in all: its latency is every percentile there is" {
	bad http1
	load_json -n 1 -c 1
	json '.latency_ns | .count == 1 and .p50 == .max and .min == .max and .mean == .max'
}

@test "each request in a pipeline has its own latency" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'all: pace 20ms'
		load_json -c 1 -p 8 -n 8 --timeout 5s
		[ "$status" -eq 0 ]
		json '.latency_ns | .count == 8 and .min >= 20e6 and .max >= 160e6 and
			.p50 >= 60e6 and .p50 < .max' >/dev/null
		stop
		[ "$(saw replies)" -eq 8 ]
	done
}

@test "a closed loop adds no latencies that nobody had" {
	# One in ten is late; a stall of the whole server holds up only what is in flight.
	bad http1 'every 10: delay 200ms' 'from 50 first 50: stall 300ms'
	load_json -n 100 -c 4
	json '.latency_ns | .count == 100 and .max >= 300e6 and .p50 < 200e6 and .min < 100e6'
}

@test "a constant latency is that in every percentile" {
	bad grpc 'all: delay 50ms'
	load_json -n 400 -c 100
	json '.latency_ns | .min >= 50e6 and .p2_5 >= .min and .p50 >= .p2_5 and .p75 >= .p50 and
		.p90 >= .p75 and .p95 >= .p90 and .max >= .p95 and .mean >= .min and .mean <= .max'
}

@test "what is in flight is rate times latency" {
	for c in 1 64; do
		bad http1 'all: delay 10ms'
		load_json -d 0.5s -c $c
		json ".rps * .latency_ns.mean / 1e9 | . > 0.8 * $c and . < 1.2 * $c"
		stop
	done
}

@test "a close between replies costs only what was in flight" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'each every 5: close'
		load_json -n 100 -c 2
		json '.requests.ok >= 70 and .connections.reconnects >= 10 and
			(.errors | keys) - ["stale_connection", "reset", "eof"] == []' >/dev/null
		stop
	done
}

# ends_as ACT KIND…: nothing but these, however the reply ends
ends_as() {
	for protocol in "${some[@]}"; do
		bad "$protocol" "from 5: $1"
		load_json -n 12 -c 2
		[ "$status" -eq 1 ]
		json ".requests.ok == 4 and (.errors | keys) - $2 == [] and
			([.errors[]] | add) == 8" >/dev/null || {
			echo "$protocol: $output"
			return 1
		}
		stop
	done
}

@test "closed and reset: before the reply, within, and instead" {
	ends_as 'close 10' '["eof"]'
	ends_as 'fin 10' '["eof"]'
	ends_as 'reset 10' '["reset"]'
	ends_as 'close 0' '["eof", "stale_connection"]'
	ends_as 'reset 0' '["reset", "stale_connection"]'
}

@test "connections that are reset or closed as soon as they are accepted" {
	for protocol in http1 grpc; do
		bad "$protocol" 'each from 2: close' 'conn from 3: reset'
		load_json -n 20 -c 2
		[ "$status" -eq 1 ]
		json '.errors.reset >= 8 and .requests.ok == 4 and
			(.errors | keys) - ["reset", "connect", "stale_connection", "eof"] == []' >/dev/null
		stop
		bad "$protocol" 'conn: close'
		load_json -n 10 -c 2
		json '(.errors.eof // 0) + (.errors.reset // 0) == 10' >/dev/null
		stop
		[ "$(saw requests)" -eq 0 ]
	done
}

@test "a server that hangs up each time is no reason to spin" {
	for protocol in http1 grpc; do
		bad "$protocol" 'all: close 0'
		load_json -c 2 -d 0.5s
		[ "$status" -eq 1 ]
		# Reconnects back off: far from a busy loop.
		json '.requests.ok == 0 and .errors.eof > 0 and .errors.eof < 200 and
			.client.cpu_user_s + .client.cpu_system_s < 0.25' >/dev/null
		stop
	done
}

@test "connections that are never served are told" {
	bad http1 'conn from 11: ignore'
	load_json -c 25 -d 0.4s
	json '.connections == {requested: 25, established: 25, served: 10, reconnects: 0}'
	run "$RPCBENCH_BIN/rpcbench" load -c 25 -d 0.3s "$url"
	[[ "$output" == *served* ]]
	stop
	bad grpc 'conn every 2: ignore'
	load_json -n 20 -c 4 --timeout 200ms
	json '.errors.timeout >= 2 and .requests.ok > 0'
}

@test "a server that accepts nothing for a while" {
	bad http1 'conn first 1: hold 300ms'
	load_json -n 40 -c 20 --timeout 5s
	[ "$status" -eq 0 ]
	json '.requests.ok == 40 and .connections.served == 20 and .latency_ns.max > 100e6'
	stop
	bad http1 --backlog 1 'conn first 1: hold 30s'
	load_json -c 20 -d 0.3s --timeout 200ms
	[ "$status" -eq 1 ]
	json '.errors.connect_timeout > 0 and .connections.established < 20'
}

@test "a server that dies and comes back: only what was in flight is lost, the client idles" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'after 200ms once: die 500ms'
		load_json -c 4 -d 1s
		[ "$status" -eq 1 ]
		json '.requests.ok > 0 and .connections.reconnects == 4 and .errors.connect_refused > 0 and
			([.errors | to_entries[] | select(.key != "connect_refused" and .key != "connect").value] |
			add) <= 8' >/dev/null || {
			echo "$protocol: $output"
			return 1
		}
		stop
	done
	# Down for all but the first moment.
	bad http1 'from 20 first 20: die 30s'
	load_json -c 8 -d 0.8s
	json '.requests.ok >= 19 and .client.cpu_user_s + .client.cpu_system_s < 0.4'
}

@test "a port that is closed and opened again" {
	bad grpc 'from 50 first 50: refuse 300ms, close' 'each from 40: close'
	load_json -n 200 -c 2
	json '.errors.connect_refused > 0 and .requests.ok > 100'
}

@test "the server goes away for good: partial results, in time" {
	for protocol in http1 grpc; do
		bad "$protocol" 'after 200ms: exit'
		load_json -c 4 -d 0.7s
		[ "$status" -eq 1 ]
		json '.requests.ok > 0 and .errors.connect_refused > 0 and .duration_s < 1' >/dev/null
		bad "$protocol" 'from 100: exit'
		load_json -c 4 -n 100000 --timeout 200ms
		[ "$status" -eq 1 ]
		json '.requests.ok > 50 and .requests.sent < 1000' >/dev/null
	done
	load_json -c 4 -n 1000 --timeout 300ms
	[ "$status" -eq 3 ]
}

@test "all connections time out at once: the run goes on to its end" {
	for protocol in "${some[@]}"; do
		bad "$protocol" 'from 11 first 14: drop'
		load_json -n 40 -c 4 --timeout 200ms
		json '.errors == {"timeout": 4} and .requests.sent == 40 and .requests.ok == 36' >/dev/null
		stop
	done
}

@test "n requests a connection" {
	for protocol in "${some[@]}"; do
		bad "$protocol"
		load_json -n 40 -c 4 --no-keepalive
		[ "$status" -eq 0 ]
		stop
		[ "$(saw accepted)" -ge 40 ]
		bad "$protocol"
		load_json -n 70 -c 1 -p 7 --requests-per-connection 7
		[ "$status" -eq 0 ]
		stop
		[ "$(saw accepted)" -ge 10 ]
		[ "$(saw requests)" -eq 70 ]
	done
}

@test "a server that takes nothing more: what cannot be sent waits, and times out" {
	head -c 4000000 /dev/zero >"$BATS_TEST_TMPDIR/body"
	for protocol in http1 grpc; do
		bad "$protocol" 'conn: ignore'
		load_json -n 4 -c 2 --body-file "$BATS_TEST_TMPDIR/body" --timeout 200ms
		[ "$status" -eq 1 ]
		json '.errors == {"timeout": 4}' >/dev/null
		stop
		bad "$protocol" 'conn: delay 100ms' 'all: delay 20ms'
		load_json -n 8 -c 2 -p 2 --body-file "$BATS_TEST_TMPDIR/body" --timeout 20s
		[ "$status" -eq 0 ]
		stop
		[ "$(saw rx_bytes)" -gt 32000000 ]
	done
}

@test "a limit of open files: raised where it may be, else said before anything is sent" {
	bad http1
	run bash -c "ulimit -n 64; '$RPCBENCH_BIN/rpcbench' load -c 200 -d 1s '$url'"
	[ "$status" -eq 3 ]
	[[ "$output" == *"ulimit"* ]]
	run bash -c "ulimit -Sn 64; '$RPCBENCH_BIN/rpcbench' load -c 200 -n 200 '$url'"
	[ "$status" -eq 0 ]
	stop
	[ "$(saw requests)" -eq 200 ]
}

@test "local ports that run out have a class, and --source has more of them" {
	unshare -rn true 2>/dev/null || skip "no network namespaces"
	cat >"$BATS_TEST_TMPDIR/run" <<-'END'
		ip link set lo up
		echo 40000 40099 >/proc/sys/net/ipv4/ip_local_port_range
		"$RPCBENCH_BIN/../test/badserver" --port 7000 >server.log &
		server=$!
		until grep -q READY server.log; do sleep 0.02; done
		load() { "$RPCBENCH_BIN/rpcbench" load --json -c 4 --no-keepalive "$@" http://127.0.0.1:7000/; }
		load -d 0.4s >one.json
		load -n 600 --source 127.0.0.0/24 >many.json
		kill $server
		wait
	END
	cd "$BATS_TEST_TMPDIR"
	timeout 30 unshare -rn bash run 3>&-
	jq -e '.errors.addr_in_use > 0 and .requests.ok > 50 and .requests.ok <= 200' one.json
	jq -e '.errors == {} and .requests.ok == 600' many.json
}

@test "--source: bad values are named" {
	check() {
		run "$RPCBENCH_BIN/rpcbench" load -n 1 -c 1 --source "$2" "${3:-http://127.0.0.1:1/}"
		[ "$status" -ge 2 ]
		[[ "$output" == *"--source"*"$1"* ]]
	}
	check "expected an IPv4 address" 1.2.3
	check "expected an IPv4 address" 127.0.0.0/8
	check "expected an IPv4 address" 127.0.0.0/33
	check "expected an IPv4 address" 127.0.0.1/
	check "192.0.2.1" 192.0.2.0/24
	check "IPv4 host" 127.0.0.1 'http://[::1]:1/'
}
