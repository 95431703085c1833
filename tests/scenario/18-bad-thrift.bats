# Thrift replies as they should not be: what rpcbench load reports must be what happened.

bats_require_minimum_version 1.5.0
load helper
load bad-helpers

teardown() {
	stop_all
}

both=(thrift-framed thrift-binary)

@test "exceptions: of the library and of the interface" {
	for protocol in "${both[@]}"; do
		each_ends thrift_exception "$protocol" exception 'exception 0' 'exception -1' 'field 1' \
			'field 32767' 'exception 6, delay 5ms'
		json '.latency_ns.count == .requests.ok and .failed_latency_ns.count == 6'
	done
	bad thrift-framed 'all: exception'
	load_json -n 20 -c 2 -p 3
	[ "$status" -eq 1 ]
	json '.rps == 0 and .errors == {"thrift_exception": 20} and .connections.reconnects == 0'
}

@test "a reply to another call" {
	for protocol in "${both[@]}"; do
		each_ends thrift_seqid "$protocol" 'seqid 1' 'seqid -1' 'seqid 1000000' \
			'exception, seqid 1' 'seqid -16384'
		json '.connections.reconnects >= 4'
	done
	# Out of order: where order is all there is, both are wrong.
	bad thrift-framed 'from 10 first 10: swap'
	load_json -n 20 -c 1 -p 4
	[ "$status" -eq 1 ]
	json '.errors | keys == ["thrift_seqid"]'
}

@test "frames whose length is impossible, or not that of their message" {
	each_ends thrift_frame thrift-framed 'length -1' 'length 0' 'length 2G' 'length 17M' \
		'length 23' 'length 12' 'body 17M'
	# Too long: the rest does not come, or is a part of the next reply.
	each_ends timeout thrift-framed 'length 25' 'length 1M'
	bad thrift-framed 'from 3 first 3: length 28'
	load_json -n 10 -c 1 -p 4 --timeout 1s
	json '.requests.ok < 10 and (.errors | keys) - ["thrift_frame", "protocol"] == []'
}

@test "messages that are none" {
	for protocol in "${both[@]}"; do
		each_ends protocol "$protocol" 'name Other' 'name ""' 'name Dot' 'type 1' 'type 4' 'type 0' \
			'type 99'
	done
	each_ends protocol thrift-binary 'length -1' 'raw "\x80\x02\x00\x02"' \
		'raw "HTTP/1.1 400 Bad Request\r\n\r\n"' 'raw "\x00\x00\x00\x17\x80\x01\x00\x02"' \
		'raw "\x80\x01\x00\x02\xff\xff\xff\xff"'
	each_ends protocol thrift-framed 'raw "\x00\x00\x00\x04\x00\x00\x00\x00"'
	each_ends thrift_frame thrift-framed 'raw "\x00\x00\x00\x02Do"' 'raw "HTTP/1.1 400 Bad Request\r\n\r\n"'
}

@test "results of other bytes or another length, or none" {
	for protocol in "${both[@]}"; do
		each_ends mismatch "$protocol" wrong 'body 1' 'body 0' 'body 3' 'body 100k' 'field -1'
		bad "$protocol" 'every 4: wrong'
		load_json -n 20 -c 2 --verify=length
		[ "$status" -eq 0 ]
		stop
	done
	# More than the frame's string says, and less.
	each_ends timeout thrift-binary 'length 20'
	each_ends unexpected_reply thrift-binary 'then "\x00"'
}

@test "a second reply, and none" {
	for protocol in "${both[@]}"; do
		bad "$protocol" 'from 10 first 10: extra'
		load_json -n 20 -c 1
		[ "$status" -eq 1 ]
		json '(.errors.unexpected_reply // 0) + (.errors.thrift_seqid // 0) == 1'
		stop
		[ "$(saw requests)" -eq 20 ]
		each_ends timeout "$protocol" drop
	done
}

@test "odd, but good" {
	for protocol in "${both[@]}"; do
		each_ends ok "$protocol" 'delay 5ms' 'pieces 1' 'split 3' 'split 4' 'gap 2ms, split 20'
		bad "$protocol" 'all: walk, gap 0ms, body 30'
		load_json -n 200 -c 2 -p 2
		[ "$status" -eq 0 ]
		json '.requests.ok == 200' >/dev/null
		stop
	done
}

@test "large results are bounded by what Thrift allows" {
	bad thrift-framed 'all: body 15M'
	run --separate-stderr /usr/bin/time -f %M -o "$BATS_TEST_TMPDIR/rss" \
		"$RPCBENCH_BIN/rpcbench" load --json -n 3 -c 1 --timeout 30s "$url"
	[ "$status" -eq 0 ]
	json '.requests.ok == 3'
	[[ "$RPCBENCH_BIN" == *asan* ]] || [ "$(tail -1 "$BATS_TEST_TMPDIR/rss")" -lt 120000 ]
	stop
	# A string without end, unframed: given up, not collected.
	bad thrift-binary 'all: body 2200M'
	run --separate-stderr /usr/bin/time -f %M -o "$BATS_TEST_TMPDIR/rss" \
		"$RPCBENCH_BIN/rpcbench" load --json -n 1 -c 1 --timeout 30s "$url"
	json '.errors == {"protocol": 1}'
	[[ "$RPCBENCH_BIN" == *asan* ]] || [ "$(tail -1 "$BATS_TEST_TMPDIR/rss")" -lt 120000 ]
}

@test "framed where unframed is spoken, and the other way round" {
	bad thrift-binary
	url="$url?transport=framed"
	load_json -n 4 -c 1 --timeout 300ms
	[ "$status" -ne 0 ]
	json '.requests.ok == 0'
	stop
	bad thrift-framed
	url=${url%\?*}
	load_json -n 4 -c 1 --timeout 300ms
	[ "$status" -ne 0 ]
	json '.requests.ok == 0'
}
