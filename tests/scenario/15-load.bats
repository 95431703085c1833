# rpcbench load against servers with one odd habit each: what it counts must be what happened.

bats_require_minimum_version 1.5.0
load helper

teardown() {
	stop_all
}

# odd HABIT: starts tests/scenario/odd_server.py
odd() {
	start /usr/bin/python3 "$BATS_TEST_DIRNAME/odd_server.py" "$1"
	url=http://127.0.0.1:$port/
}

# load_json OPTION…: one run, its trial in $output and its exit status in $status
load_json() {
	run --separate-stderr timeout 20 "$RPCBENCH_BIN/rpcbench" load --json "$@" "$url"
	echo "$output" >"$BATS_TEST_TMPDIR/trial.json"
	json '.requests | .sent == .ok + .failed + .inflight_at_end'
}

# saw NAME: what the server counted, after its end
saw() {
	sed -n "s/.*$1=\([0-9]*\).*/\1/p" "$server_log"
}

@test "exactly n requests, over connections that do not divide it" {
	odd plain
	load_json -n 10 -c 3
	[ "$status" -eq 0 ]
	json '.requests | .sent == 10 and .completed == 10 and .ok == 10 and .inflight_at_end == 0'
	stop
	[ "$(saw requests)" -eq 10 ]
}

@test "all connections are opened and used, also those left by division" {
	odd plain
	load_json -n 400 -c 15 -t 8
	json '.connections | .requested == 15 and .established == 15 and .served == 15'
	stop
	[ "$(saw accepted)" -eq 15 ]
}

@test "sent is what the server saw, in-flight at the end included" {
	odd slow
	load_json -c 20 -d 0.5s
	[ "$status" -eq 0 ]
	json '.requests.inflight_at_end == 20 and .requests.oldest_inflight_s > 0'
	sent=$(json .requests.sent)
	stop
	[ "$(saw requests)" -eq "$sent" ]
}

@test "a server that never answers: a time-out each, and no latency" {
	odd silent
	load_json -c 4 -d 0.9s --timeout 300ms
	[ "$status" -eq 1 ]
	json '.errors.timeout >= 4 and .requests.ok == 0 and .latency_ns == null'
	json '.latency_ns_reason | length > 0'
}

@test "each request in a pipeline has its own latency" {
	odd one_by_one
	load_json -c 1 -p 8 -n 8 --timeout 5s
	[ "$status" -eq 0 ]
	json '.latency_ns | .count == 8 and .min >= 20e6 and .max >= 160e6 and
		.p50 >= 80e6 and .p50 < .max'
}

@test "a body that ends with the connection is no error" {
	odd until_close
	load_json -n 30 -c 3
	[ "$status" -eq 0 ]
	json '.requests.ok == 30 and .bytes_per_reply == 5038'
}

@test "a close between replies costs only what was in flight" {
	odd five_each
	load_json -n 100 -c 2
	json '.requests.ok >= 80 and .connections.reconnects >= 10'
	json '.errors | keys - ["stale_connection", "reset"] == []'
}

@test "a close instead of a reply is an end of file, not a spin" {
	odd hangs_up
	load_json -c 2 -d 0.5s
	[ "$status" -eq 1 ]
	json '.requests.ok == 0 and .errors.eof > 0'
	# Reconnects back off: far from a busy loop.
	json '.errors.eof < 200'
}

@test "connections that are never served are told" {
	odd first_ten
	load_json -c 25 -d 0.5s
	json '.connections | .established == 25 and .served == 10'
	run "$RPCBENCH_BIN/rpcbench" load -c 25 -d 0.3s "$url"
	[[ "$output" == *served* ]]
}

@test "a second reply to one request is not a reply" {
	odd twice
	load_json -n 20 -c 2
	[ "$status" -eq 1 ]
	json '.errors.unexpected_reply > 0 and .requests.completed <= .requests.sent'
	stop
	[ "$(saw requests)" -eq 20 ]
}

@test "errors are not throughput" {
	odd errors
	load_json -n 50 -c 5
	[ "$status" -eq 1 ]
	json '.rps == 0 and .errors.status == 50 and .status_codes["500"] == 50'
	json '.failed_latency_ns.count == 50'
}

@test "wrong bytes are not throughput" {
	odd every_third_wrong
	printf hi >"$BATS_TEST_TMPDIR/expected"
	load_json -n 30 -c 1 --expect-body "$BATS_TEST_TMPDIR/expected"
	[ "$status" -eq 1 ]
	json '.requests.ok == 20 and .errors.mismatch == 10'
	load_json -n 30 -c 1
	json '.errors.mismatch == 10'
	load_json -n 30 -c 1 --verify=length
	[ "$status" -eq 0 ]
}

@test "bytes that are no HTTP end the connection at once" {
	odd garbage
	load_json -c 2 -d 0.3s
	[ "$status" -eq 1 ]
	json '.errors.protocol > 0 and .errors.timeout == null'
}

@test "a reply in single bytes, chunked, with interim reply and trailer" {
	odd trickle
	load_json -n 10 -c 2
	[ "$status" -eq 0 ]
	json '.requests.ok == 10'
}

@test "replies that differ in a header are all verified" {
	odd changing
	load_json -n 500 -c 2
	[ "$status" -eq 0 ]
	json '.requests.ok == 500'
}

@test "a body of 64 MB is counted, not kept" {
	odd huge
	run --separate-stderr /usr/bin/time -f %M -o "$BATS_TEST_TMPDIR/rss" \
		"$RPCBENCH_BIN/rpcbench" load --json -n 3 -c 1 --timeout 30s "$url"
	[ "$status" -eq 0 ]
	json '.requests.ok == 3 and .bytes_per_reply > 67108864'
	[[ "$RPCBENCH_BIN" == *asan* ]] || [ "$(cat "$BATS_TEST_TMPDIR/rss")" -lt 40000 ]
}

@test "nobody listens: said at once, exit status 3" {
	odd plain
	stop
	run --separate-stderr timeout 5 "$RPCBENCH_BIN/rpcbench" load --json -c 4 -d 30s "$url"
	[ "$status" -eq 3 ]
	json '.errors.connect_refused == 4 and .requests.sent == 0 and .latency_ns == null'
}

@test "the server goes away for good: partial results, in time" {
	odd plain
	(sleep 0.4; kill "$pid") &
	load_json -c 4 -d 1.2s
	[ "$status" -eq 1 ]
	json '.requests.ok > 0 and .errors.connect_refused > 0'
	load_json -c 4 -n 1000 --timeout 300ms
	[ "$status" -eq 3 ]
}

@test "one request a connection" {
	odd plain
	load_json -n 40 -c 4 --no-keepalive
	[ "$status" -eq 0 ]
	stop
	[ "$(saw accepted)" -ge 40 ]
}

@test "seven requests a connection" {
	odd plain
	load_json -n 70 -c 1 -p 7 --requests-per-connection 7
	[ "$status" -eq 0 ]
	stop
	[ "$(saw accepted)" -ge 10 ]
	[ "$(saw requests)" -eq 70 ]
}

@test "SIGINT keeps what was measured" {
	odd plain
	"$RPCBENCH_BIN/rpcbench" load -d 30s --json="$BATS_TEST_TMPDIR/out.json" "$url" \
		>/dev/null 2>&1 3>&- &
	loader=$!
	sleep 0.5
	kill -INT "$loader"
	wait "$loader"
	jq -e '.requests.ok > 0 and .duration_s < 10' "$BATS_TEST_TMPDIR/out.json"
}

@test "a limit of open files that is too low is said before anything is sent" {
	odd plain
	run bash -c "ulimit -n 64; '$RPCBENCH_BIN/rpcbench' load -c 200 -d 1s '$url'"
	[ "$status" -eq 3 ]
	[[ "$output" == *"ulimit"* ]]
}

@test "bad usage names what is wrong, exit status 2" {
	check() {
		run "$RPCBENCH_BIN/rpcbench" load "${@:2}"
		[ "$status" -eq 2 ]
		[[ "$output" == *"$1"* ]]
	}
	check "expected one URL"
	check "http://" 127.0.0.1:80
	check "http://" ftp://127.0.0.1/
	check "port of 1 to 65535" http://127.0.0.1:99999/
	check "percent-encoded" "http://127.0.0.1/a b"
	check "cannot resolve" http://no-such-host.invalid/
	check "--connections" -c 0 http://127.0.0.1/
	check "Name: value" -H nonsense http://127.0.0.1/
	check "--body-file" --body-file /nonexistent http://127.0.0.1/
	check "--cpu" --cpu 0-x http://127.0.0.1/
}

@test "it works against nginx" {
	command -v nginx >/dev/null || skip "nginx is not installed"
	conf=$BATS_TEST_TMPDIR/nginx.conf
	port=$((20000 + RANDOM % 10000))
	cat >"$conf" <<-END
		daemon off; worker_processes 1; pid $BATS_TEST_TMPDIR/pid;
		error_log $BATS_TEST_TMPDIR/error.log;
		events {}
		http {
			access_log off;
			client_body_temp_path $BATS_TEST_TMPDIR/b; proxy_temp_path $BATS_TEST_TMPDIR/p;
			fastcgi_temp_path $BATS_TEST_TMPDIR/f; uwsgi_temp_path $BATS_TEST_TMPDIR/u;
			scgi_temp_path $BATS_TEST_TMPDIR/s;
			server { listen 127.0.0.1:$port; location / { return 200 "Hello world"; } }
		}
	END
	nginx -c "$conf" >"$BATS_TEST_TMPDIR/nginx.log" 2>&1 3>&- &
	started+=($!)
	url=http://127.0.0.1:$port/
	for _ in {1..100}; do
		! curl -s -o /dev/null "$url" || break
		sleep 0.05
	done
	load_json -n 1000 -c 10 -p 4
	[ "$status" -eq 0 ]
	json '.requests.ok == 1000'
	load_json -n 10 -c 2 -X HEAD
	[ "$status" -eq 0 ]
}

@test "it works against Python's http.server, which is HTTP/1.0" {
	cd "$BATS_TEST_TMPDIR"
	echo hello >index.html
	/usr/bin/python3 -u -m http.server --bind 127.0.0.1 0 >log 2>&1 3>&- &
	started+=($!)
	for _ in {1..100}; do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
		[ -z "$port" ] || break
		sleep 0.05
	done
	url=http://127.0.0.1:$port/
	load_json -n 50 -c 2
	[ "$status" -eq 0 ]
	json '.requests.ok == 50'
}
