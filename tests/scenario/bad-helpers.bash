# Shared by the scenarios against badserver: `load helper`, then `load bad-helpers`.
#
#   bad PROTOCOL RULE…      start badserver; sets $url
#   load_json OPTION…       rpcbench load of $url: its trial in $output, its exit in $status
#   saw NAME                what badserver has counted, at its end

bad() {
	local protocol=$1
	shift
	start "$RPCBENCH_BIN/../test/badserver" --protocol "$protocol" "$@"
	case $protocol in
	http1) url=http://127.0.0.1:$port/ ;;
	h2c) url=h2c://127.0.0.1:$port/ ;;
	grpc) url=grpc://127.0.0.1:$port/bad.Bad/Do ;;
	thrift-framed) url="thrift://127.0.0.1:$port/Bad.Do?transport=framed" ;;
	thrift-binary) url=thrift://127.0.0.1:$port/Bad.Do ;;
	esac
}

# Whatever happens, the sums hold.
load_json() {
	run --separate-stderr timeout 30 "$RPCBENCH_BIN/rpcbench" load --json "$@" "$url"
	echo "$output" >"$BATS_TEST_TMPDIR/trial.json"
	json '.requests | .sent == .ok + .failed + .inflight_at_end and .completed <= .sent'
	json '(.latency_ns == null) == (.requests.ok == 0)'
}

saw() {
	sed -n "s/^COUNTS.* $1=\([0-9]*\).*/\1/p" "$server_log" | tail -1
}
