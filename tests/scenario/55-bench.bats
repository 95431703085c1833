# rpcbench bench: servers and clients compared pair by pair, its record and its page.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >plan.json <<-'END'
		{"name": "p", "title": "T", "pairs": 2, "duration": "300ms", "warmup": "0",
		 "comparisons": [
		  {"name": "servers", "ours": "http-hello", "peer": "null-epoll", "call": "hello",
		   "connections": 4, "pipeline": 2, "metric": "cpu_us_per_request", "bar": "<= 1000"},
		  {"name": "clients", "server": "null-epoll", "call": "hello",
		   "connections": 4, "pipeline": 3, "metric": "requests_per_cpu_s", "bar": ">= 1000"},
		  {"name": "nobody", "ours": "http-hello", "peer": "nobody", "call": "hello",
		   "connections": 4, "pipeline": 1, "metric": "rps", "bar": ">= 1"}]}
	END
}

bench() {
	run --separate-stderr "$RPCBENCH_BIN/rpcbench" bench -o out "$@" plan.json
	# shellcheck disable=SC2154
	echo "$output" "$stderr"
}

@test "servers are compared in alternating order, and a bar of a ratio is met" {
	bench --only servers
	[ "$status" = 0 ]
	output=$(<out/p.json)
	json '.schema == "rpcbench-peers/1" and (.comparisons | length) == 1'
	json '[.comparisons[0].trials[].name] ==
		["http-hello", "null-epoll", "null-epoll", "http-hello"]'
	json '.comparisons[0] | .reached == true and .summary.ratio.n == 2'
	json '[.comparisons[0].trials[] | .requests > 0 and .failed == 0] | all'
	grep -q '| servers .*| http-hello | null-epoll | .*| reached |' out/p.md
	[ "$("$RPCBENCH_BIN/rpcbench" report --console out/p.json)" = "$(<out/p.md)" ]
}

@test "clients are compared on one server, and a bar that is not met is said" {
	bench --only clients
	[ "$status" = 0 ]
	output=$(<out/p.json)
	json '[.comparisons[0].trials[].name] == ["rpcbench", "wrk", "wrk", "rpcbench"]'
	json '[.comparisons[0].trials[] | .requests > 0 and .max_rss_bytes > 1e6] | all'
	json '.comparisons[0] | .measured == "client" and .reached == false'
	grep -q '| \*\*not reached\*\* |' out/p.md
}

@test "what cannot be compared is left out with the reason" {
	bench --only nobody
	[ "$status" = 0 ]
	[[ $stderr == *"nobody is left out: no contestant is called nobody"* ]]
	output=$(<out/p.json)
	json '.comparisons[0] | .reached == null and (.reached_reason | contains("nobody"))'
	grep -q 'nobody: left out, no contestant is called nobody' out/p.md
}

@test "a bad plan and an unknown name are refused" {
	bench --only other
	[ "$status" = 2 ]
	[[ $stderr == *"no comparison's name begins with it"* ]]
	sed -i 's/"pairs": 2/"pairs": 1/' plan.json
	bench
	[ "$status" = 2 ]
	[[ $stderr == *"plan.json:1: pairs: expected a whole number of 2 to 1000, got 1"* ]]
	[ ! -e out ]
}

@test "results that cannot be written are known before anything runs" {
	touch out
	bench --only servers
	[ "$status" = 2 ]
	[[ $stderr == *"cannot write to the folder out: Not a directory"* ]]
}

@test "SIGTERM stops a client and its server" {
	"$RPCBENCH_BIN/rpcbench" bench -o out --only clients -d 60s plan.json 3>&- &
	pid=$!
	for _ in {1..100}; do
		children=$(pgrep -P "$pid" | wc -l)
		[ "$children" -lt 2 ] || break
		sleep 0.05
	done
	mapfile -t children < <(pgrep -P "$pid")
	[ "${#children[@]}" = 2 ]
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 143 ]
	for child in "${children[@]}"; do
		[ ! -d "/proc/$child" ]
	done
}
