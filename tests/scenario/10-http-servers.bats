# The HTTP servers, called by clients that are not ours, and by peers that mean ill.

bats_require_minimum_version 1.5.0
load helper

HERE=$BATS_TEST_DIRNAME
EXPECT=$HERE/../../protos/expect

teardown() {
	stop_all
}

# serve NAME [OPTION]...: starts a server on a free port; sets $url.
serve() {
	start "$RPCBENCH_BIN/$1" --port 0 "${@:2}"
	url=http://127.0.0.1:$port
}

# raw TEST [OPTION]...: a test of http_client.py against http-hello with these options.
raw() {
	serve http-hello "${@:2}"
	timeout ${T:-60} /usr/bin/python3 "$HERE/http_client.py" "$1" "$port" "$pid"
	stop
	[ "$(cat "$server_log")" = "READY port=$port" ]
}

# same_json CALL ARG...: what curl gets is the expected reply of this call, byte for byte.
same_json() {
	curl -sS --fail "${@:2}" >"$BATS_TEST_TMPDIR/reply"
	jq -jc .reply "$EXPECT/$1.json" | cmp - "$BATS_TEST_TMPDIR/reply"
}

# same_text CALL URL
same_text() {
	[ "$(curl -sS --fail "$2")" = "$(jq -r .reply "$EXPECT/$1.json")" ]
}

# status_of ARG...: the status that curl gets
status_of() {
	curl -sS -o /dev/null -w '%{http_code}' "$@"
}

# field_names URL: the names of the fields of a reply, in their order, on one line
field_names() {
	curl -sS -D - -o /dev/null "$1" | sed -n 's/:.*//p' | tr '\n' ' '
}

@test "http-hello answers with its two texts" {
	serve http-hello
	same_text hello "$url/"
	same_text plaintext "$url/plaintext"
}

@test "http-json answers with what app.h says" {
	serve http-json
	same_json message "$url/json"
	same_json find_one "$url/test"
	[ "$(wc -c <"$BATS_TEST_TMPDIR/reply")" -eq 256 ]
	same_json publish -d "$(jq -c .request "$EXPECT/publish.json")" "$url/publish"
}

@test "http-evhttp answers as both" {
	serve http-evhttp
	same_text hello "$url/"
	same_text plaintext "$url/plaintext"
	same_json message "$url/json"
	same_json find_one "$url/test"
	same_json publish -d "$(jq -c .request "$EXPECT/publish.json")" "$url/publish"
	[ "$(status_of "$url/nope")" = 404 ]
	[ "$(status_of -d x "$url/")" = 405 ]
}

@test "publish refuses what is no such object" {
	for server in http-json http-evhttp; do
		serve "$server"
		for body in '' '{' '[]' '{"name":"a"}' '{"name":1,"version":1}' \
			'{"name":"a","version":"1"}' '{"name":"a","version":2147483648}'; do
			run curl -sS -w ' %{http_code}' -d "$body" "$url/publish"
			[[ "$output" == '{"code":1,"message":"expected an object'*'"} 400' ]]
		done
		[ "$(curl -sS -d '{"name":"\"é\\","version":-1}' "$url/publish")" = \
			'{"code":0,"message":"\"é\\@-1"}' ]
		[ "$(curl -sS -d '{"name":"","version":1}' "$url/publish" | jq .code)" = 1 ]
		# 10 MB of this would take 1 GB when parsed.
		[ "$(yes '[],' | head -c 1000000 | status_of --data-binary @- "$url/publish")" = 413 ]
		stop
	done
}

@test "all servers send the same header fields in the same order" {
	for server in http-hello:/ http-json:/test http-evhttp:/ http-evhttp:/test; do
		serve "${server%:*}"
		[ "$(field_names "$url${server#*:}")" = "Server Date Content-Type Content-Length " ]
		stop
	done
}

@test "statuses that curl gets" {
	serve http-hello --body-limit 1000
	[ "$(status_of "$url/?query=1")" = 200 ]
	[ "$(status_of "$url/%70laintext")" = 200 ]
	[ "$(status_of -I "$url/")" = 200 ]
	[ "$(status_of --http1.0 "$url/")" = 200 ]
	[ "$(status_of --http2 "$url/")" = 200 ]
	[ "$(status_of -x "$url" http://example.org/plaintext)" = 200 ]
	[ "$(status_of "$url/nope")" = 404 ]
	[ "$(status_of -d x "$url/")" = 405 ]
	[ "$(status_of -H 'Transfer-Encoding: chunked' -d x "$url/")" = 405 ]
	[ "$(status_of -H 'Expect: 100-continue' -d x "$url/")" = 405 ]
	[ "$(status_of -X OPTIONS "$url/")" = 405 ]
	[ "$(status_of -H 'Host:' "$url/")" = 400 ]
	[ "$(printf '%01001d' 0 | status_of --data-binary @- "$url/")" = 413 ]
	[ "$(status_of "$url/$(printf '%09000d' 0)")" = 414 ]
	[ "$(status_of -H 'Expect: tea' "$url/")" = 417 ]
	[ "$(status_of -H "A: $(printf '%017000d' 0)" "$url/")" = 431 ]
	[ "$(status_of -X BREW "$url/")" = 501 ]
	curl -sS -D - -o /dev/null -d x "$url/" | grep -x $'Allow: GET, HEAD\r'
}

@test "HEAD is answered by a head alone" {
	for server in http-hello http-json http-evhttp; do
		serve "$server"
		timeout ${T:-60} /usr/bin/python3 "$HERE/http_client.py" head "$port" "$pid"
		stop
	done
}

@test "the Date is of now" {
	serve http-hello
	date=$(curl -sS -D - -o /dev/null "$url/" | tr -d '\r' | sed -n 's/^Date: //p')
	[ "$(LC_ALL=C date -u -d "$date" '+%a, %d %b %Y %H:%M:%S GMT')" = "$date" ]
	[ $(($(date +%s) - $(date -d "$date" +%s))) -le 5 ]
}

@test "wrk and ab find no fault" {
	for server in http-hello:/ http-json:/test http-evhttp:/plaintext; do
		serve "${server%:*}" --threads 2
		run wrk -t 2 -c 20 -d 1 "$url${server#*:}"
		echo "$output"
		# On a machine that is busy otherwise, a reply may be late.
		[[ "$output" != *errors* || "$output" == *"connect 0, read 0, write 0,"* ]]
		[[ "$output" != *Non-2xx* && "$output" == *"requests in"* ]]
		for options in "" -k; do
			# shellcheck disable=SC2086
			run ab -q -n 500 -c 10 $options "$url${server#*:}"
			echo "$output"
			[[ "$output" =~ Failed\ requests:\ +0 ]]
			[[ "$output" != *Non-2xx* && "$output" != *Write\ errors* ]]
		done
		[[ "$output" =~ Keep-Alive\ requests:\ +500 ]]
		stop
	done
}

@test "thousands of requests at once are answered in order" {
	raw pipeline
}

@test "requests may come in any pieces" {
	raw pieces
}

@test "connections that come and go leave nothing behind" {
	raw many_connections
}

@test "a peer that does not read costs little memory" {
	raw back_pressure
}

@test "a refusal reaches a peer that is still sending" {
	raw refusal_is_read
}

@test "a header block has its time" {
	raw header_timeout --header-timeout 100ms
}

@test "a silent connection has its time" {
	raw idle_timeout --idle-timeout 100ms
}

@test "SIGTERM finishes what is in flight" {
	raw drain
	raw drain --threads 2
}

@test "an idle evhttp ends, too" {
	serve http-evhttp --threads 2
	stop
}

@test "no spin without descriptors" {
	few=(bash -c 'ulimit -n 24; exec "$@"' few)
	start "${few[@]}" "$RPCBENCH_BIN/http-hello" --port 0
	timeout ${T:-60} /usr/bin/python3 "$HERE/http_client.py" out_of_descriptors "$port" "$pid"
	start "${few[@]}" "$RPCBENCH_BIN/http-evhttp" --port 0
	timeout ${T:-60} /usr/bin/python3 "$HERE/http_client.py" out_of_descriptors "$port" "$pid"
}

@test "damaged requests do no harm" {
	raw hostile
}

@test "a text of the query stands in the reply, if it can be one" {
	local server bad long
	long=$(printf '%200s' '' | tr ' ' x)
	for server in http-json http-evhttp; do
		serve "$server"
		[ "$(curl -sS "$url/json?message=some-text")" = '{"message":"some-text"}' ]
		[ "$(curl -sS "$url/test?name=a.b_c~1" | jq -r .name)" = a.b_c~1 ]
		for bad in message message= name=x xmessage=a 'message=%22' 'message=a"b' "message=$long"; do
			same_json message -g "$url/json?$bad"
			same_json find_one -g "$url/test?$bad&"
		done
		stop
	done
}

@test "a port that is taken is an error" {
	for threads in 1 2; do
		serve http-hello --threads "$threads"
		for server in http-hello http-json http-evhttp; do
			for more in 1 2; do
				run -1 "$RPCBENCH_BIN/$server" --port "$port" --threads "$more"
				[[ "$output" == "$server: cannot listen on 127.0.0.1 port $port: Address already in use" ]]
			done
		done
		stop
	done
}
