#!/usr/bin/env bats
# Goal: rpcbench verify accepts what answers correctly, and names the rule that a wrong answer
# breaks; nothing that a server sends makes it hang or crash.

setup() {
	load run-helpers
	cd "$BATS_TEST_DIRNAME/../.."
	file=$BATS_TEST_TMPDIR/m.json
}

TEST='{"find_one": {"url": "/test"}}'
HTTP='{"find_one": {"url": "/test"}, "hello": {"url": "/"}, "plaintext": {"url": "/plaintext"}, "message": {"url": "/json"}, "publish": {"url": "/publish", "method": "POST"}}'
UNFRAMED='{"find_one": {"url": "/UnpkgService.FindOne"}, "publish": {"url": "/UnpkgService.Publish?protocol=binary&transport=buffered"}}'
FRAMED='{"find_one": {"url": "/UnpkgService.FindOne?protocol=binary&transport=framed"}}'

verify() {
	run "$RPCBENCH_BIN/rpcbench" verify --manifest "$file" "$@"
}

@test "all calls of good servers" {
	list "$(manifest h http1 stock "$HTTP")" "$(manifest t thrift stock "$UNFRAMED")" \
		"$(manifest f thrift stock "$FRAMED" --framed)" >"$file"
	verify h t f
	expect_status 0
	expect_line "ok      h: find_one"
	expect_line "ok      h: plaintext"
	expect_line "ok      t: publish"
	expect_line "ok      f: find_one"
	expect_line "ok      h: publish"
	expect_line "calls verified: 8, failures: 0, contestants left out: 0"
}

@test "each rule of HTTP is named" {
	list "$(manifest version http1 stock "$TEST" --version 1.0)" \
		"$(manifest extra http1 stock "$TEST" --extra)" \
		"$(manifest status http1 stock "$TEST" --status 500)" \
		"$(manifest text http1 stock '{"hello": {"url": "/"}}' --body 'Hello world!')" \
		"$(manifest path http1 stock '{"hello": {"url": "/"}}' --body 'Hello world')" \
		"$(manifest type http1 stock "$TEST" --type text/html)" \
		"$(manifest nodate http1 tuned "$TEST" --date '')" \
		"$(manifest olddate http1 stock "$TEST" --date 'Sun, 06 Nov 1994 08:49:37 GMT')" \
		"$(manifest baddate http1 stock "$TEST" --date 'Mon, 06 Nov 1994 08:49:37 GMT')" \
		"$(manifest head http1 stock "$TEST" --head-body)" \
		"$(manifest constant http1 stock '{"publish": {"url": "/publish", "method": "POST"}}' --constant)" \
		"$(manifest garbage http1 stock "$TEST" --garbage)" >"$file"
	verify constant version extra status text path type nodate olddate baddate head garbage
	expect_status 1
	expect_line 'FAILED  version: find_one: reply.version: expected "1.0.0", got "1.0"'
	expect_line 'FAILED  extra: find_one: reply.extra: expected nothing, got 1'
	expect_line 'FAILED  status: find_one: status: expected 200, got 500'
	expect_line 'FAILED  text: hello: reply: expected "Hello world" (11 bytes), got "Hello world!" (12 bytes)'
	expect_line 'FAILED  path: hello: unknown_path: /rpcbench-no-such-path gets the same reply as /, expected 404'
	expect_line 'FAILED  type: find_one: content_type: expected application/json, got "text/html"'
	expect_line 'FAILED  nodate: find_one: date: expected one, got 0'
	expect_line 'FAILED  olddate: find_one: date: expected one within 3 s of now, got "Sun, 06 Nov 1994 08:49:37 GMT"'
	expect_line "FAILED  baddate: find_one: date: expected the form 'Sun, 06 Nov 1994 08:49:37 GMT', got"
	expect_line 'FAILED  head: find_one: head: '
	expect_line 'FAILED  constant: publish: json-per-request: reply.message: expected "verify-'
	expect_line 'FAILED  garbage: find_one: not HTTP/1.1: '
	expect_line "calls verified: 0, failures: 12, contestants left out: 0"
}

@test "class bare is excused from what a bare server leaves out, not from a right reply" {
	list "$(manifest bare http1 bare '{"hello": {"url": "/"}}' --body 'Hello world' --date '' --head-body)" \
		"$(manifest wrong http1 bare '{"hello": {"url": "/"}}' --body 'Hello worlds')" >"$file"
	verify bare wrong
	expect_status 1
	expect_line "ok      bare: hello"
	expect_line "FAILED  wrong: hello: reply: "
}

@test "each rule of Thrift is named, and hostile bytes do no harm" {
	list "$(manifest version thrift stock "$FRAMED" --framed --version 2)" \
		"$(manifest type thrift stock "$FRAMED" --framed --fault type)" \
		"$(manifest name thrift stock "$FRAMED" --framed --fault name)" \
		"$(manifest sequence thrift stock "$FRAMED" --framed --fault sequence)" \
		"$(manifest exception thrift stock "$UNFRAMED" --fault exception)" \
		"$(manifest behind thrift stock "$UNFRAMED" --fault behind)" \
		"$(manifest short thrift stock "$UNFRAMED" --fault short)" \
		"$(manifest garbage thrift stock "$UNFRAMED" --fault garbage)" \
		"$(manifest frame thrift stock "$FRAMED" --framed --fault huge-frame)" \
		"$(manifest empty thrift stock "$FRAMED" --framed --fault empty-frame)" \
		"$(manifest string thrift stock "$UNFRAMED" --fault huge-string)" \
		"$(manifest unknown thrift stock "$FRAMED" --framed --fault accept-unknown)" \
		"$(manifest constant thrift stock "$UNFRAMED" --fault constant-publish)" \
		"$(manifest url thrift stock '{"find_one": {"url": "/UnpkgService.Find"}}')" \
		"$(manifest query thrift stock '{"find_one": {"url": "/UnpkgService.FindOne?protocol=json"}}')" >"$file"
	verify version type name sequence exception behind short garbage frame empty string \
		unknown constant url query
	expect_status 1
	expect_line 'FAILED  version: find_one: reply.version: expected "1.0.0", got "2"'
	expect_line 'FAILED  type: find_one: reply: invalid message type 1, expected T_REPLY'
	expect_line 'FAILED  name: find_one: reply: wrong method name FindTwo, expected FindOne'
	expect_line 'FAILED  sequence: find_one: expected sequence id 0, got 7'
	expect_line 'FAILED  exception: find_one: reply: application error: out of '
	expect_line 'FAILED  behind: find_one: 3 bytes come behind the reply'
	expect_line 'FAILED  short: find_one: reply: the connection was closed before a whole reply'
	expect_line 'FAILED  garbage: find_one: reply: '
	expect_line 'FAILED  frame: find_one: reply: a frame of 2147483647 bytes, expected 1 to 1048572'
	expect_line 'FAILED  empty: find_one: reply: a frame of 0 bytes, expected 1 to 1048572'
	expect_line 'FAILED  string: find_one: '
	expect_line 'FAILED  unknown: find_one: unknown_method: expected an exception, got a message of type 2'
	expect_line 'ok      constant: find_one'
	expect_line 'FAILED  constant: publish: reflects: reply.message: expected "verify-'
	expect_line 'FAILED  url: find_one: expected the url /UnpkgService.FindOne, got /UnpkgService.Find'
	expect_line 'FAILED  query: find_one: expected protocol=binary or compact, transport=buffered or framed, got protocol=json'
}

@test "JSON that was made once is found where the manifest says how to ask for another" {
	local calls='{"message": {"url": "/json", "varied": "/json?message={text}"}, "find_one": {"url": "/test", "varied": "/test?name={text}"}}'
	list "$(manifest good http1 stock "$calls")" "$(manifest cached http1 stock "$calls" --constant)" \
		"$(manifest silent http1 stock "$TEST" --constant)" >"$file"
	verify good cached silent
	expect_status 1
	expect_line 'calls verified: 3, failures: 2'
	expect_line 'FAILED  cached: message: json-per-request: reply.message: expected "verify-'
	expect_line 'FAILED  cached: find_one: json-per-request: reply.name: expected "verify-'
	expect_line 'ok      silent: find_one (every request gets this reply: whether it is made for each is not shown)'
	sed -i 's/message={text}/message=text/' "$file"
	verify good
	expect_status 2
	expect_line 'calls.message.varied: expected a path with {text} in it'
}

@test "gRPC: a reply that is the same for every request is found where it should not be" {
	local calls='{"find_one": {"url": "/unpkg.Unpkg/FindOne"}, "publish": {"url": "/unpkg.Unpkg/Publish"}, "echo": {"url": "/echo.Streams/Call"}}'
	list "$(manifest good grpc stock "$calls")" "$(manifest constant grpc stock "$calls" --constant)" |
		sed 's/http_peer.py/grpc_peer.py/' >"$file"
	verify good constant
	expect_status 1
	expect_line 'ok      good: find_one (every request gets this reply: whether it is made for each is not shown)'
	expect_line 'ok      good: publish'
	expect_line 'ok      good: echo'
	expect_line 'ok      constant: find_one'
	expect_line 'FAILED  constant: publish: reflects: reply.message: expected "verify-'
	expect_line 'FAILED  constant: echo: reflects: reply.msg: expected "Hello verify-'
}

@test "what does not start or is not there" {
	list "$(manifest dies http1 stock "$TEST" --die-at-start 3)" \
		'{"name": "gone", "protocol": "http1", "class": "stock", "command": ["no-such-thing"], "calls": {"hello": {"url": "/"}}}' >"$file"
	verify dies gone
	expect_status 1
	expect_line 'FAILED  dies: exited with status 3 before it was ready; it said: about to end'
	expect_line '        its output: '
	expect_line 'FAILED  gone: needs no-such-thing, which is not in PATH'
	[ "$(cat "$(sed -n 's/^ *its output: //p' <<<"$output")")" = "about to end" ]
	verify nobody
	expect_status 2
	expect_line "rpcbench: unknown contestant 'nobody', expected one of: "
}

@test "what this build holds is verified" {
	run "$RPCBENCH_BIN/rpcbench" verify http-hello http-json thrift-binary thrift-simple
	expect_status 0
}
