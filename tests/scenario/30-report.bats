# Goal: rpcbench report renders pages and tables from records, the same bytes every time, and
# says of a bad one what is wrong with it.

load helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/report

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir results
	cp "$GOLDEN"/*.json results
}

@test "renders every record of results/, twice the same" {
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	cmp results/round.md "$GOLDEN/round.md"
	cmp results/limited.md "$GOLDEN/limited.md"
	"$RPCBENCH_BIN/rpcbench" report
	cmp results/round.md "$GOLDEN/round.md"
	cmp results/round.json "$GOLDEN/round.json"
	[ "$(ls results)" = "$(printf '%s\n' columns.json columns.md limited.json limited.md round.json round.md)" ]
}

@test "renders the files it is given, and the table with --console" {
	mv results/round.json "a b"
	run "$RPCBENCH_BIN/rpcbench" report --console "a b"
	[ "$status" -eq 0 ]
	diff <(echo "$output") "$GOLDEN/round.txt"
	cmp "a b.md" "$GOLDEN/round.md"
	[ ! -e results/limited.md ]
}

@test "renders a record whose round was killed before its summary" {
	jq 'del(.contestants[].summary)' results/round.json >results/killed.json
	"$RPCBENCH_BIN/rpcbench" report results/killed.json
	cmp results/killed.md "$GOLDEN/round.md"
	! grep -q '"summary"' results/killed.json
}

@test "bad records are named, the others rendered" {
	echo '{"schema": "another"}' >results/a.json
	echo '{' >results/b.json
	jq '.contestants[1].trials[0].rps = "fast"' results/round.json >results/c.json
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[0]}" = 'rpcbench: results/a.json: schema: expected "rpcbench/1", found another' ]
	[[ "${lines[1]}" = "rpcbench: results/b.json:1: "* ]] || [[ "${lines[1]}" = "rpcbench: results/b.json:2: "* ]]
	[ "${lines[2]}" = "rpcbench: results/c.json: contestants[1].trials[0].rps: expected a number, found a text" ]
	cmp results/round.md "$GOLDEN/round.md"
	[ ! -e results/a.md ]
}

@test "missing files and no results at all are errors" {
	run "$RPCBENCH_BIN/rpcbench" report none.json
	[ "$status" -eq 1 ]
	[ "$output" = "rpcbench: cannot read none.json: No such file or directory" ]
	rm -r results
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 2 ]
	[[ "$output" = *"no results/*.json here"* ]]
	run "$RPCBENCH_BIN/rpcbench" report --nonsense
	[ "$status" -eq 2 ]
}

# in_small_space SIZE OPTIONS CMD…: run in a file system of its own on ./small, out of others' sight.
in_small_space() {
	local size=$1 options=$2
	shift 2
	mkdir -p small
	unshare --mount sh -c '
		mount -t tmpfs -o "size=$1" none small && cp results/round.json small &&
			cp "$3/limited.md" small/round.md && mount -o "remount,$2" small || exit 99
		shift 3
		"$@"
		status=$?
		cmp small/round.md "$GOLDEN/limited.md" || exit 98
		[ "$(ls small)" = "$(printf "%s\n" round.json round.md)" ] || exit 97
		exit "$status"' sh "$size" "$options" "$GOLDEN" "$@"
}

@test "a full disk leaves the old page" {
	unshare --mount true 2>/dev/null || skip "needs the right to mount"
	export GOLDEN
	# Whole pages of 4 KiB: the record, the old page, and one that is too small for the new page.
	size=$((($(stat -c %s results/round.json) + 4095) / 4096 * 4096 + 4096))
	run in_small_space "$size" rw "$RPCBENCH_BIN/rpcbench" report small/round.json
	[ "$status" -ne 99 ] || skip "cannot mount"
	[ "$status" -eq 1 ]
	[ "$output" = "rpcbench: cannot write small/round.md: No space left on device" ]
}

@test "a read-only folder leaves the old page" {
	unshare --mount true 2>/dev/null || skip "needs the right to mount"
	export GOLDEN
	run in_small_space 1m ro "$RPCBENCH_BIN/rpcbench" report small/round.json
	[ "$status" -ne 99 ] || skip "cannot mount"
	[ "$status" -eq 1 ]
	[ "$output" = "rpcbench: cannot write small/round.md: Read-only file system" ]
}
