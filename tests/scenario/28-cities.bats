# cities-data and the proxy in front of it, against the data and against upstreams that fail.

bats_require_minimum_version 1.5.0
load helper

HERE=$BATS_TEST_DIRNAME
DATA=$HERE/../../servers/common/cities-1500.json

teardown() {
	stop_all
}

# serve PROGRAM [OPTION]...: sets $port, and $grpc if the program has that
serve() {
	start "$RPCBENCH_BIN/$1" --port 0 "${@:2}"
	grpc=$(sed -n 's/^READY .* grpc=//p' "$server_log")
}

get() {
	curl -sS --fail --max-time 20 "http://127.0.0.1:$port$1"
}

@test "the data server says the same over HTTP as the file does" {
	serve cities-data --grpc-port 0 --threads 2
	get /cities >"$BATS_TEST_TMPDIR/body"
	cmp <(jq -S . "$BATS_TEST_TMPDIR/body") <(jq -S '{cities}' "$DATA")
	run -0 curl -sI "http://127.0.0.1:$port/cities"
	[[ $output == *"Content-Type: application/json"* ]]
	[[ $output == *"Content-Length: $(stat -c %s "$BATS_TEST_TMPDIR/body")"* ]]
	stop
}

@test "the data server says the same over gRPC" {
	serve cities-data --grpc-port 0
	PYTHONPATH=$HERE/../../build/gen/py timeout 60 /usr/bin/python3 \
		"$HERE/cities_client.py" "$grpc" "$DATA"
	stop
	[ "$(cat "$server_log")" = "READY port=$port grpc=$grpc" ]
}

@test "one port for both is refused" {
	serve cities-data --grpc-port 0
	run -1 "$RPCBENCH_BIN/cities-data" --port "$port" --grpc-port "$port"
	[[ $output == *"--port and --grpc-port: expected two ports"* ]]
	run -1 "$RPCBENCH_BIN/cities-data" --port 0 --grpc-port "$port"
	[[ $output == *"cannot listen on 127.0.0.1 port $port"* ]]
}

LEGS="rest grpc raw"
ONE='{"cities":[{"country":"AD","name":"Vila","lat":42.5,"lng":1}]}'

# proxy [OPTION]...: starts it in front of the server that was started last
proxy() {
	serve cities-proxy --upstream-port "$port" --upstream-grpc-port "$grpc" "$@"
}

# upstream HABIT [OPTION]...: starts an upstream and the proxy with these options
upstream() {
	start /usr/bin/python3 "$HERE/cities_upstream.py" "$1"
	upstream_log=$server_log
	grpc=$(sed -n 's/^READY .* grpc=//p' "$server_log")
	proxy "${@:2}"
}

# expect LEG STATUS TEXT: a reply in JSON, with this text
expect() {
	local reply
	reply=$(curl -sS --max-time 20 -w '\n%{http_code} %{content_type}' \
		"http://127.0.0.1:$port/cities-$1")
	[ "${reply##*$'\n'}" = "$2 application/json" ] && [[ $reply == *"$3"* ]] || {
		echo "$1: $reply"
		return 1
	}
	jq -e . <<<"${reply%$'\n'*}" >/dev/null
}

# eventually COMMAND...: repeats it until it succeeds, for 20 s at most
eventually() {
	for _ in $(seq 400); do
		! "$@" >/dev/null || return 0
		sleep 0.05
	done
	"$@"
}

@test "all legs give the bytes of the data server" {
	serve cities-data --grpc-port 0
	get /cities >"$BATS_TEST_TMPDIR/data"
	proxy --threads 2
	for leg in $LEGS $LEGS; do
		get "/cities-$leg" >"$BATS_TEST_TMPDIR/$leg"
		cmp "$BATS_TEST_TMPDIR/data" "$BATS_TEST_TMPDIR/$leg"
	done
	for leg in $LEGS; do
		run -0 "$RPCBENCH_BIN/rpcbench" load -c 40 -n 200 --expect-body \
			"$BATS_TEST_TMPDIR/data" "http://127.0.0.1:$port/cities-$leg"
	done
	stop
	[ "$(cat "$server_log")" = "READY port=$port" ]
}

@test "the proxy prints numbers in the canonical form, and takes chunks" {
	upstream chunks
	expect rest 200 "$ONE"
	expect raw 200 '"lat":42.50,'
	expect grpc 200 "$ONE"
}

@test "an upstream that closes each connection is no fault" {
	upstream closes
	for _ in {1..5}; do
		expect rest 200 "$ONE"
	done
	upstream until-end
	for _ in 1 2; do
		expect rest 200 "$ONE"
	done
}

@test "upstream down: 502, and recovery when it is back" {
	serve cities-data --grpc-port 0
	local data=$pid data_port=$port data_grpc=$grpc
	proxy
	for leg in $LEGS; do
		expect "$leg" 200 '{"cities":[{"country":"AD"'
	done
	kill "$data"
	wait "$data"
	for leg in $LEGS $LEGS; do
		expect "$leg" 502 '{"error":"cannot connect to the upstream"}'
	done
	local proxy_port=$port
	start "$RPCBENCH_BIN/cities-data" --port "$data_port" --grpc-port "$data_grpc"
	port=$proxy_port
	for leg in $LEGS; do
		eventually expect "$leg" 200 '{"cities":[{"country":"AD"'
	done
}

@test "an upstream that was restarted in between is no fault" {
	serve cities-data --grpc-port 0
	local data=$pid data_port=$port data_grpc=$grpc
	proxy
	local proxy_port=$port
	for leg in $LEGS; do
		expect "$leg" 200 '{"cities":[{"country":"AD"'
	done
	kill -KILL "$data"
	wait "$data" || true
	start "$RPCBENCH_BIN/cities-data" --port "$data_port" --grpc-port "$data_grpc"
	port=$proxy_port
	for leg in $LEGS; do
		expect "$leg" 200 '{"cities":[{"country":"AD"'
	done
}

@test "upstream slow: 504, and the upstream's work is cancelled" {
	upstream slow --upstream-timeout 200ms --upstream-connections 2
	for leg in $LEGS; do
		expect "$leg" 504 '{"error":"the upstream took too long"}'
	done
	eventually grep -q 'cancelled grpc' "$upstream_log"
	eventually grep -q 'cancelled rest' "$upstream_log"
	# More than the upstream's connections: those that wait for one get their answer in time.
	local clients=()
	for _ in {1..5}; do
		expect rest 504 'too long' &
		clients+=("$!")
	done
	for client in "${clients[@]}"; do
		wait "$client"
	done
}

@test "upstream silent, not even accepting: 504" {
	serve cities-data --grpc-port 0
	local data=$pid
	proxy --upstream-timeout 200ms
	kill -STOP "$data"
	for leg in $LEGS; do
		expect "$leg" 504 'too long'
	done
	kill -CONT "$data"
	for leg in $LEGS; do
		eventually expect "$leg" 200 '{"cities":[{"country":"AD"'
	done
}

@test "broken replies: 502" {
	for habit in error cut garbage; do
		upstream "$habit"
		for leg in $LEGS; do
			expect "$leg" 502 '{"error":"the upstream '
		done
	done
	for habit in cut-json no-list far latin; do
		upstream "$habit"
		expect rest 502 '{"error":"the upstream sent no list of cities"}'
		expect grpc 502 '{"error":"the upstream sent no list of cities"}'
	done
}

@test "replies over the limit: 502" {
	serve cities-data --grpc-port 0
	proxy --body-limit 10000
	expect raw 502 '{"error":"the upstream sent a broken reply"}'
	expect grpc 502 '{"error":"the upstream sent too much"}'
}

@test "a client that has gone takes its upstream request along" {
	upstream slow --upstream-timeout 60s
	for leg in rest grpc; do
		run -28 curl -s --max-time 0.3 "http://127.0.0.1:$port/cities-$leg"
		eventually grep -q "cancelled $leg" "$upstream_log"
	done
}

@test "pipelined requests are answered in order" {
	upstream delay
	run -0 /usr/bin/python3 - "$port" <<'EOF'
import re, socket, sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20) as client:
    legs = ["cities-grpc", "nothing", "cities-rest", "cities-raw", "cities-grpc"]
    for leg in legs:
        client.sendall(f"GET /{leg} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    client.sendall(b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    replies = b"".join(iter(lambda: client.recv(65536), b""))
print(re.findall(r"HTTP/1.1 (\d+)", replies.decode()))
assert replies.count(b'"lat":42.5,') == 3 and replies.count(b'"lat":42.50,') == 1
assert replies.index(b'42.50') > replies.index(b'42.5,')
EOF
	[ "$output" = "['200', '404', '200', '200', '200', '404']" ]
}

@test "a client may not send without end while it waits" {
	upstream slow
	run -0 timeout 20 /usr/bin/python3 - "$port" <<'EOF'
import socket, sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20) as client:
    client.settimeout(0.5)
    sent = 0
    try:
        while sent < 64 << 20:
            sent += client.send(b"GET /cities-rest HTTP/1.1\r\nHost: a\r\n\r\n" * 1000)
    except TimeoutError:
        print("held up")
EOF
	[ "$output" = "held up" ]
}

@test "a client that has sent much and has gone is noticed" {
	upstream slow --upstream-timeout 60s
	run -0 timeout 20 /usr/bin/python3 - "$port" <<'EOF'
import socket, struct, sys, time

for linger in (struct.pack("ii", 0, 0), struct.pack("ii", 1, 0)):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        for _ in range(100):
            client.sendall(b"GET /cities-rest HTTP/1.1\r\nHost: a\r\n\r\n" * 30)
        time.sleep(0.2)
EOF
	eventually cancelled_twice
}

cancelled_twice() {
	[ "$(grep -c 'cancelled rest' "$upstream_log")" = 2 ]
}

asked_twice() {
	[ "$(grep -c 'asked rest' "$upstream_log")" = 2 ]
}

@test "SIGTERM lets requests in flight finish" {
	upstream delay
	local clients=()
	for leg in $LEGS; do
		expect "$leg" 200 '{"cities":' &
		clients+=("$!")
	done
	eventually grep -q 'asked grpc' "$upstream_log"
	eventually asked_twice
	stop
	for client in "${clients[@]}"; do
		wait "$client"
	done
	[ "$(cat "$server_log")" = "READY port=$port" ]
}
