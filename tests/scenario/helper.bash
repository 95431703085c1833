# Shared by the scenarios: `load helper` in a .bats file.
#
#   start CMD…     run a server in the background; sets $port from its READY line, and $pid
#   stop           SIGTERM and wait for the newest; its output stays in $server_log
#   json FILTER    apply a jq filter to $output

started=()

start() {
	server_log=$BATS_TEST_TMPDIR/server.${#started[@]}
	: >"$server_log" # the background has not opened it yet when it is first read
	"$@" >"$server_log" 2>&1 3>&- &
	pid=$!
	started+=("$pid")
	for _ in {1..250}; do
		port=$(sed -n 's/^READY port=\([0-9]*\).*/\1/p' "$server_log")
		[ -z "$port" ] || return 0
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.02
	done
	cat "$server_log"
	return 1
}

stop() {
	kill "$pid" 2>/dev/null || true
	wait "$pid"
}

# Call from teardown().
stop_all() {
	for pid in "${started[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	wait
}

json() {
	jq -e "$1" <<<"$output"
}
