# HTTP/2 and gRPC replies as they should not be: what rpcbench load reports must be what happened.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

@test "HTTP/2: statuses, bytes and lengths" {
	each_ends status h2c 'status 503' 'status 404, body 0' 'status 999' 'status 500, trailer "a: b"'
	each_ends mismatch h2c wrong 'body 1' 'body 0' 'no-body, length 0, status 204' 'body 100k'
	each_ends protocol h2c 'length 5' 'length 1' 'length 5, body 0' 'header "content-length: 2"'
	bad h2c 'all: status 500'
	load_json -n 40 -c 4 -p 3
	[ "$status" -eq 1 ]
	json '.rps == 0 and .failed_latency_ns.count == 40 and .status_codes == {"500": 40}'
}

@test "gRPC: the status is in the trailers, and counts by its name" {
	each_ends grpc_internal grpc 'grpc-status 13' 'grpc-status 13, trailers-only' \
		'grpc-status 13, body 0' 'grpc-status 13, messages 0' 'rst 2' 'rst 1' 'rst 3, body 2'
	each_ends grpc_unavailable grpc 'grpc-status 14' 'rst 7' 'grpc-status 14, trailers-only'
	each_ends grpc_unknown grpc 'grpc-status 17' 'grpc-status 2000000000'
	each_ends grpc_cancelled grpc 'rst 8' 'grpc-status 1'
	each_ends grpc_resource_exhausted grpc 'rst 11' 'grpc-status 8'
	each_ends grpc_permission_denied grpc 'rst 12'
	bad grpc 'all: grpc-status 13'
	load_json -n 20 -c 2
	[ "$status" -eq 1 ]
	json '.rps == 0 and .errors == {"grpc_internal": 20} and .latency_ns == null'
}

@test "gRPC: a status that is missing or none" {
	each_ends protocol grpc no-trailers 'grpc-status abc' 'grpc-status ""' 'grpc-status -1' \
		'no-trailers, body 0' 'trailer "grpc-status: 0"' 'no-body' \
		'grpc-status 99999999999999999999'
	each_ends status grpc 'status 503, no-trailers' 'status 404, no-body'
}

@test "gRPC: a message that is missing, short, long, twice, compressed or another" {
	each_ends protocol grpc 'messages 0' 'messages 2' compressed 'length 1' 'length 3' \
		'trailers-only' 'length -1'
	each_ends mismatch grpc wrong 'body 0' 'body 1' 'body 70000' 'messages 1, body 3'
	# Empty from the first reply on: it takes --expect-body to know.
	bad grpc 'all: body 0'
	printf hi >"$BATS_TEST_TMPDIR/expected"
	load_json -n 4 -c 1 --expect-body "$BATS_TEST_TMPDIR/expected"
	[ "$status" -eq 1 ]
	json '.errors == {"mismatch": 4} and .rps == 0'
}

@test "HTTP/2: a reset stream is one request, not the connection" {
	each_ends reset h2c 'rst 0' 'rst 2' 'rst 7' 'rst 8, body 100k'
	json '.connections.reconnects == 0'
	bad h2c 'every 10: rst 11'
	load_json -n 100 -c 1 -p 10
	json '.errors == {"reset": 10} and .requests.ok == 90 and .connections.reconnects == 0'
}

@test "odd, but good" {
	odd=('pad 0' 'pad 255' 'continuation 1' 'pad 7, continuation 3, trailer "a: b"' 'interim 3' ping
		'ping 100' numbered 'long-header 30k' 'frame 1' 'settings "3=1"' 'settings "4=1"' 'settings "1=0"'
		'settings "5=20000"' 'settings "77=1"' 'settings ""' 'before "\x00\x00\x01\x99\x00\x00\x00\x00\x00x"'
		'settings "3=100 4=2147483647 1=65536"' 'delay 5ms')
	each_ends ok h2c "${odd[@]}" 'trailer "a: b"' 'frame 1, pad 3'
	load=(--body text)
	each_ends ok grpc "${odd[@]}" 'grpc-status 0'
}

@test "frames that are none, or out of place" {
	protocol=('continuation 3, raw "\x00\x00\x01\x09\x04\x00\x00\x00\x01x"'
		'raw "HTTP/1.1 400 Bad Request\r\n\r\n"' 'raw "\xff\xff\xff\x00\x00\x00\x00\x00\x01"'
		'raw "\x00\x00\x00\x00\x00\x00\x00\x00\x00"' 'raw "\x00\x00\x01\x01\x04\x00\x00\x00\x00\x88"'
		'raw "\x00\x00\x04\x05\x04\x00\x00\x00\x01\x00\x00\x00\x02"'
		'raw "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"'
		'raw "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\xff\xff\xff"'
		'raw "\x00\x00\x07\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"'
		'raw "\x00\x00\x05\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"'
		'raw "\x00\x00\x01\x01\x04\x00\x00\x00\x02\x88"' 'raw "\x00\x00\x01\x01\x04\x00\x00\x27\x0f\x88"'
		'settings "4=2147483648"' 'settings "5=100"' 'settings "5=16777216"' 'endless' 'long-header 70k'
		'header "Upper: case"' 'header ":path: /"' 'ping 40000' 'status 101' 'status 42')
	each_ends protocol h2c "${protocol[@]}"
	each_ends protocol grpc "${protocol[@]}"
}

@test "a second reply on a stream is not a reply" {
	for protocol in h2c grpc; do
		bad "$protocol" 'from 10 first 10: extra'
		load_json -n 20 -c 1
		[ "$status" -eq 1 ]
		json '.errors.unexpected_reply == 1 and .requests.completed <= .requests.sent'
		stop
		[ "$(saw requests)" -eq 20 ]
	done
}

@test "a late stream is one time-out, and its late reply nobody's" {
	for protocol in h2c grpc; do
		bad "$protocol" 'every 20: delay 700ms' 'all: pace 1ms'
		load_json -n 400 -c 2 -p 10 --timeout 300ms
		[ "$status" -eq 1 ]
		json '.errors == {"timeout": 20} and .requests.ok == 380 and .connections.reconnects == 0'
		json '.failed_latency_ns.min >= 300e6'
		stop
		[ "$(saw requests)" -eq 400 ]
	done
}

@test "limits of streams that change: none is exceeded, none is lost" {
	bad grpc 'conn: settings "3=1"' 'all: delay 1ms' 'from 30 first 30: settings "3=5"' \
		'from 60 first 60: settings "3=2"'
	load_json -n 100 -c 1 -p 10
	[ "$status" -eq 0 ]
	json '.requests.ok == 100'
	stop
	# No stream at all for a while.
	bad h2c 'from 30 first 30: settings "3=0"' 'from 29 first 29: delay 100ms, settings "3=10"'
	load_json -n 100 -c 1 -p 3
	[ "$status" -eq 0 ]
	stop
	# And for good: what waits for a stream has its time as well.
	bad h2c 'conn: settings "3=0"'
	load_json -n 6 -c 2 -p 3 --timeout 200ms
	json '.errors == {"timeout": 6} and .latency_ns == null'
	stop
	[ "$(saw requests)" -eq 0 ]
}

@test "windows that shrink to a byte and grow again, with bodies to send" {
	head -c 2000 /dev/zero >"$BATS_TEST_TMPDIR/body"
	for protocol in h2c grpc; do
		bad "$protocol" 'conn: settings "4=10"' 'from 5 first 5: settings "4=0"' \
			'from 4 first 4: delay 50ms, settings "4=100"' 'from 9 first 9: settings "4=65535"'
		load_json -n 20 -c 1 -p 2 --body-file "$BATS_TEST_TMPDIR/body"
		[ "$status" -eq 0 ]
		json '.requests.ok == 20' >/dev/null
		stop
	done
}

@test "an answer before the whole request" {
	head -c 300000 /dev/zero >"$BATS_TEST_TMPDIR/body"
	for protocol in h2c grpc; do
		bad "$protocol" 'conn: early'
		load_json -n 20 -c 2 -p 2 --body-file "$BATS_TEST_TMPDIR/body"
		json '.requests.ok == 20' >/dev/null
		stop
	done
}

@test "GOAWAY: what was taken is answered, the rest is stale, and a new connection follows" {
	for protocol in h2c grpc; do
		bad "$protocol" 'each from 20 first 20: goaway'
		load_json -n 200 -c 2 -p 5
		json '.requests.completed + (.errors.stale_connection // 0) == 200 and
			(.errors | keys) - ["stale_connection"] == [] and .connections.reconnects >= 5'
		stop
		# One by one, nothing is lost.
		bad "$protocol" 'each from 20 first 20: goaway 0'
		load_json -n 200 -c 2
		[ "$status" -eq 0 ]
		json '.requests.ok == 200 and .connections.reconnects >= 7'
		stop
		[ "$(saw requests)" -eq 200 ]
		# Of which the last stream is an earlier one: that one was not taken.
		bad "$protocol" 'each from 20 first 20: goaway 11, last -1'
		load_json -n 100 -c 1
		json '.errors == {"stale_connection": 5} and .requests.ok == 95'
		stop
	done
}

@test "GOAWAY in two steps loses nothing" {
	bad grpc 'each from 10 first 10: goaway, last 2147483647' 'each from 12 first 12: goaway'
	load_json -n 60 -c 1 -p 3
	[ "$status" -eq 0 ]
	json '.requests.ok == 60 and .connections.reconnects >= 3'
}

@test "no SETTINGS, no requests: in time" {
	bad grpc 'conn: no-settings'
	load_json -n 4 -c 2 --timeout 200ms
	[ "$status" -eq 1 ]
	json '.errors == {"timeout": 4}'
	stop
	# Something else comes first, be it the answer to our own.
	bad grpc 'conn: no-settings, raw "\x00\x00\x00\x04\x01\x00\x00\x00\x00"'
	load_json -n 4 -c 2 --timeout 5s
	json '.errors == {"protocol": 4}'
	stop
	bad grpc 'conn: no-settings, raw "\x00\x00\x08\x06\x00\x00\x00\x00\x00pingping"'
	load_json -n 4 -c 2 --timeout 5s
	json '.errors == {"protocol": 4}'
}

@test "another protocol answers" {
	for url_of in h2c grpc; do
		bad http1 'all: raw "HTTP/1.1 505 No\r\n\r\n"' 'conn: raw "HTTP/1.1 505 No\r\n\r\n"'
		url=$url_of://127.0.0.1:$port/a.B/C
		load_json -n 4 -c 2 --timeout 2s
		[ "$status" -eq 1 ]
		json '.errors == {"protocol": 4}'
		stop
	done
}

@test "in every split of every form" {
	for form in 'numbered, trailer "a: b"' 'continuation 5, pad 3' 'interim, frame 1, ping'; do
		for protocol in h2c grpc; do
			bad "$protocol" "all: walk, gap 0ms, $form"
			load_json -n 200 -c 2 -p 2
			[ "$status" -eq 0 ]
			json '.requests.ok == 200' >/dev/null
			stop
		done
	done
}

@test "bodies of gigabytes are counted, not kept" {
	bad h2c 'all: body 2200M'
	run --separate-stderr /usr/bin/time -f %M -o "$BATS_TEST_TMPDIR/rss" \
		"$RPCBENCH_BIN/rpcbench" load --json -n 1 -c 1 --timeout 60s --verify=length "$url"
	[ "$status" -eq 0 ]
	json '.requests.ok == 1 and .bytes_per_reply > 2147483648'
	[[ "$RPCBENCH_BIN" == *asan* ]] || [ "$(cat "$BATS_TEST_TMPDIR/rss")" -lt 40000 ]
}
