# Shared by the scenarios against badserver: `load helper`, then `load bad-helpers`.
#
#   bad PROTOCOL RULE…              start badserver; sets $url
#   load_json OPTION…               rpcbench load of $url: its trial in $output, its exit in $status
#   saw NAME                        what badserver has counted, at its end
#   each_ends KIND PROTOCOL ACT…    one request for each ACT, which must end as errors.KIND, or well
#                                   for KIND ok; the requests around them are fine. $load: options

load=()

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
	run --separate-stderr timeout 60 "$RPCBENCH_BIN/rpcbench" load --json "$@" "$url"
	echo "$output" >"$BATS_TEST_TMPDIR/trial.json"
	json '(.requests | .sent == .ok + .failed + .inflight_at_end and .completed <= .sent) and
		(.latency_ns == null) == (.requests.ok == 0)' >/dev/null || {
		echo "the sums of $output"
		return 1
	}
}

saw() {
	sed -n "s/^COUNTS.* $1=\([0-9]*\).*/\1/p" "$server_log" | tail -1
}

# try_acts KIND PROTOCOL ACT…: one run, in which every third request is one of the ACTs
try_acts() {
	local kind=$1 protocol=$2 rules=() wanted=$(($# - 2)) n=0 errors='{}' timeout=10s
	shift 2
	[ "$kind" != timeout ] || timeout=500ms
	for act in "$@"; do
		n=$((n + 3))
		rules+=("from $n first $n: $act")
	done
	[ "$kind" = ok ] || errors="{\"$kind\": $wanted}"
	n=$((n + 1))
	bad "$protocol" "${rules[@]}"
	load_json -n $n -c 1 --timeout $timeout "${load[@]}" &&
		json ".errors == $errors and .requests.sent == $n" >/dev/null || return 1
	stop && [ "$(saw requests)" -eq $n ]
}

each_ends() {
	try_acts "$@" && return
	for act in "${@:3}"; do
		try_acts "$1" "$2" "$act" || echo "$1 expected of '$act', got $(jq -c .errors <<<"$output")"
	done
	return 1
}
