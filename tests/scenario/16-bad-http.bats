# HTTP/1.1 replies as they should not be: what rpcbench load reports must be what happened.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

@test "a status that is an error" {
	each_ends status http1 'status 503' 'status 404, body 0' 'status 599, header "Connection: close", close' 'status 999' \
		'status 400, chunked' 'status 500, no-length, close' 'status 503, body 100k'
}

@test "errors are not throughput, and have a latency of their own" {
	bad http1 'all: status 500'
	load_json -n 40 -c 4
	[ "$status" -eq 1 ]
	json '.rps == 0 and .failed_latency_ns.count == 40 and .status_codes == {"500": 40}'
	stop
	# Quick failures in the second half raise neither rate nor latency of what is good.
	bad http1 'all: delay 20ms' 'from 21: delay 0ms, status 503'
	load_json -n 220 -c 2
	json '.requests.ok == 20 and .errors.status == 200 and .latency_ns.min >= 20e6 and
		.failed_latency_ns.p50 < 20e6 and (.rps * .duration_s - 20 | fabs) < 0.1'
	stop
	bad http1 'all: delay 20ms' 'from 21: delay 0ms, reset 0'
	load_json -n 60 -c 2
	json '.requests.ok == 20 and .errors.reset + .errors.stale_connection == 40'
	json '.latency_ns.count == 20 and .latency_ns.min >= 20e6'
}

@test "other bytes, other lengths" {
	each_ends mismatch http1 wrong 'body 1' 'body 0' 'body 3' 'body 100k' 'body 3M, chunked' \
		'body 1, no-length, close' 'wrong, chunked' 'status 204' 'status 200, no-body, length 0'
	bad http1 'all: body 3M' 'every 3: body 3M, wrong'
	load_json -n 6 -c 1
	json '.errors == {"mismatch": 2} and .requests.ok == 4'
	load_json -n 6 -c 1 --verify=length
	[ "$status" -eq 0 ]
}

@test "--expect-body: also the first reply must be right" {
	bad http1 'all: wrong'
	load_json -n 4 -c 1
	[ "$status" -eq 0 ]
	printf hi >"$BATS_TEST_TMPDIR/expected"
	load_json -n 4 -c 1 --expect-body "$BATS_TEST_TMPDIR/expected"
	[ "$status" -eq 1 ]
	json '.errors == {"mismatch": 4} and .rps == 0'
}

@test "a body of another length than it says" {
	# Longer: what is left over answers nobody.
	bad http1 'every 10: length 1'
	load_json -n 40 -c 2
	[ "$status" -eq 1 ]
	json '.errors | .mismatch == 4 and .unexpected_reply >= 1'
	stop
	# Shorter: the rest never comes, or the end comes first.
	each_ends timeout http1 'length 5' 'length 5, chunked, header "Connection: x", raw "HTTP/1.1 "'
	each_ends eof http1 'length 5, close' 'length 5, fin' 'close 10' 'close 1' 'fin 39'
	each_ends reset http1 'length 5, reset' 'reset 10' 'reset 1'
}

@test "bytes that are no HTTP end their connection at once" {
	each_ends protocol http1 'raw "HTP/1.1 200 OK\r\n\r\n"' 'raw "HTTP/1.1 20 OK\r\n\r\n"' \
		'raw "HTTP/1.1 2000 OK\r\n\r\n"' 'raw "HTTP/2.0 200 OK\r\n\r\n"' 'raw "HTTP/1.1\r\n\r\n"' \
		'raw "\r\n\r\n"' 'raw "\x00\x00\x00\x00\n"' 'raw "220 mail ESMTP\r\n"' \
		'raw "\x16\x03\x01\x02\x00\x01\n"' 'raw "<html></html>\n"' 'raw "ICY 200 OK\r\n\r\n"'
	json '.connections.reconnects >= 10'
}

@test "headers that are none, and lengths that are none" {
	each_ends protocol http1 'header "Content-Length: 3"' 'header "Content-Length: -2"' \
		'header "Content-Length: 0x2"' 'header "Content-Length: 99999999999999999999"' \
		'header "Content-Length:"' 'header "Transfer-Encoding: chunked"' \
		'header "Transfer-Encoding: gzip"' 'header "no colon"' 'header ": no name"' \
		'header "Space : before"' 'header " folded: line"' 'header "Nul: \x00"' \
		'length -5' 'long-header 64k' 'endless' 'status 101' 'interim 10000' \
		'chunked, length 2, header "Content-Length: 2"'
}

@test "chunks that are none" {
	head='raw "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
	each_ends protocol http1 "${head}x\r\n\"" "${head}-1\r\n\"" "${head}\r\n\"" \
		"${head}2\r\nhiX\r\n0\r\n\r\n\"" "${head}2\r\nhi0\r\n\r\n\"" \
		"${head}1000000000000000\r\n\"" "${head}0x2\r\nhi\r\n\"" 'chunked, long-header 70k' \
		'chunked, chunk-ext "x"'
	each_ends eof http1 "${head}2\r\nhi\r\n\", close" "${head}2\r\nhi\r\n0\r\n\", close"
	each_ends timeout http1 "${head}2\r\nhi\r\n0\r\n\""
}

@test "a body that ends with the connection" {
	each_ends ok http1 'no-length, close' 'header "Connection: close"' \
		'no-length, close, version 1.0' 'no-length, pieces 1, gap 0ms, close' \
		'no-length, fin' 'no-length, header "Connection: close", delay 5ms, close'
}

@test "a body without a length, and the connection stays open" {
	each_ends no_length http1 no-length
	# Said to be closed, but it is not: that is late, not without a length.
	each_ends timeout http1 'no-length, header "Connection: close"' 'no-length, version 1.0'
}

@test "replies that have no body" {
	load=(--verify=status)
	each_ends ok http1 'status 204' 'status 204, length 10' 'status 304, length 10' \
		'status 205, no-length, no-body' 'status 205, length 0, no-body' 'body 0' 'status 304'
	load=(-X HEAD)
	each_ends ok http1 'length 10' chunked 'length 3G' 'status 204' no-length
	# A body where none may be.
	each_ends unexpected_reply http1 'then "hi"'
}

@test "odd, but good" {
	each_ends ok http1 'chunked 1, chunk-ext ";a=b;c", trailer "A: b"' interim 'interim 100' lf \
		'lf, chunked, interim, trailer "A: b"' numbered 'long-header 60k' \
		'version 1.0, header "Connection: keep-alive"' 'header "CONNECTION: x, Keep-Alive"' \
		'header "Content-Length: 2"' 'header "Empty:"' 'header "Utf: \xc3\xa4"' \
		'chunked 1, chunk-ext "  "'
}

@test "two requests at a time get their own interim replies and chunks" {
	bad http1 'every 2: interim, chunked 1' 'every 3: numbered, lf'
	load_json -n 100 -c 2 -p 5
	[ "$status" -eq 0 ]
	json '.requests.ok == 100'
}

@test "in every split of every form" {
	for form in numbered 'chunked 1, chunk-ext ";a", trailer "A: b", interim' 'lf, chunked' \
		'numbered, no-length, close'; do
		bad http1 "all: walk, gap 0ms" "all: $form"
		load_json -n 150 -c 3
		[ "$status" -eq 0 ]
		json '.requests.ok == 150' >/dev/null
		stop
	done
	bad http1 'all: pieces 1, gap 0ms, numbered, chunked, interim'
	load_json -n 20 -c 2 -p 4
	[ "$status" -eq 0 ]
}

@test "connections that say that they end are replaced without loss" {
	for form in 'version 1.0' 'header "connection: Close"'; do
		bad http1 "each every 5: $form, close"
		load_json -n 100 -c 2
		[ "$status" -eq 0 ]
		json '.requests.ok == 100 and .connections.reconnects >= 15' >/dev/null
		stop
		[ "$(saw requests)" -eq 100 ]
	done
	# With several in flight, what was not begun is stale, and nothing else.
	bad http1 'each every 5: header "Connection: close", close'
	load_json -n 100 -c 2 -p 4
	json '.errors | keys == ["stale_connection"]'
}

@test "one reply a connection, each time" {
	bad http1 'all: header "Connection: close", close'
	load_json -n 50 -c 5
	[ "$status" -eq 0 ]
	json '.requests.ok == 50 and .connections.reconnects >= 40'
	stop
	[ "$(saw accepted)" -ge 50 ]
}

@test "another protocol answers" {
	for protocol in h2c thrift-binary; do
		bad "$protocol"
		url=http://127.0.0.1:$port/
		load_json -n 4 -c 2 --timeout 500ms
		[ "$status" -ne 0 ]
		json '.requests.ok == 0 and (.errors | length) > 0'
	done
}

@test "bodies of gigabytes are counted, not kept" {
	bad http1 'all: body 2200M' 'from 2: chunked 64k'
	run --separate-stderr /usr/bin/time -f %M -o "$BATS_TEST_TMPDIR/rss" \
		"$RPCBENCH_BIN/rpcbench" load --json -n 2 -c 1 --timeout 60s --verify=length "$url"
	[ "$status" -eq 0 ]
	json '.requests.ok == 2 and .bytes_per_reply > 2147483648'
	[[ "$RPCBENCH_BIN" == *asan* ]] || [ "$(cat "$BATS_TEST_TMPDIR/rss")" -lt 40000 ]
	stop
	[ "$(saw tx_bytes)" -gt 4614000000 ]
	[ "$(json '.checks.bytes.received')" -eq "$(saw tx_bytes)" ]
}

@test "the text tells which statuses came" {
	bad http1 'every 2: status 404' 'every 3: status 500'
	run timeout 30 "$RPCBENCH_BIN/rpcbench" load -n 12 -c 1 "$url"
	[ "$status" -eq 1 ]
	[[ "$output" == *"Non-2xx or 3xx responses: 8 (404: 4, 500: 4)"* ]]
}

@test "a file that cannot be written is found before the load" {
	bad http1
	for option in --json --hdr; do
		run timeout 30 "$RPCBENCH_BIN/rpcbench" load -n 10 "$option=$BATS_TEST_TMPDIR/none/x" "$url"
		[ "$status" -eq 2 ]
		[[ "$output" == *"cannot write $BATS_TEST_TMPDIR/none/x: No such file"* ]]
	done
	stop
	[ "$(saw requests)" -eq 0 ]
}
