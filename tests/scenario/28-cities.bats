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
