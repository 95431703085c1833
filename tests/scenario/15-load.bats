# rpcbench load: its options, its end, and servers that are not ours. What it reports of bad ones is
# in 15-bad-any, 16-bad-http, 17-bad-h2 and 18-bad-thrift.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

@test "nobody listens: said at once, exit status 3" {
	bad http1
	stop
	run --separate-stderr timeout 5 "$RPCBENCH_BIN/rpcbench" load --json -c 4 -d 30s "$url"
	[ "$status" -eq 3 ]
	json '.errors.connect_refused == 4 and .requests.sent == 0 and .latency_ns == null'
}

@test "SIGINT keeps what was measured" {
	bad http1
	"$RPCBENCH_BIN/rpcbench" load -d 30s --json="$BATS_TEST_TMPDIR/out.json" "$url" \
		>/dev/null 2>&1 3>&- &
	loader=$!
	sleep 0.5
	kill -INT "$loader"
	wait "$loader"
	jq -e '.requests.ok > 0 and .duration_s < 10' "$BATS_TEST_TMPDIR/out.json"
	jq -e '([.series[].rx_bytes] | add) == .checks.bytes.received' "$BATS_TEST_TMPDIR/out.json"
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
