# Goal: rpcbench report renders pages and tables from records, the same bytes every time, and
# says of a bad one what is wrong with it.

load helper

GOLDEN=$BATS_TEST_DIRNAME/../golden/report

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir results
	cp "$GOLDEN"/*.json results
}

# same_page FILE GOLDEN: but for the charts that it shows.
same_page() {
	diff <(grep -v '^!\[' "$1" | cat -s) "$2"
}

@test "renders every record of results/, twice the same" {
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	same_page results/round.md "$GOLDEN/round.md"
	same_page results/limited.md "$GOLDEN/limited.md"
	cmp results/round.json "$GOLDEN/round.json"
	cp -r results before
	"$RPCBENCH_BIN/rpcbench" report
	diff -r before results
}

@test "an overview of all rounds links to their pages" {
	"$RPCBENCH_BIN/rpcbench" report
	cmp results/overview.md "$GOLDEN/overview.md"
	rm results/overview.md
	"$RPCBENCH_BIN/rpcbench" report results/round.json
	[ ! -e results/overview.md ]
}

@test "a row above the client's ceiling is not shown as more than all of it" {
	jq '.contestants[0] as $c | .calibration = [{connections: $c.connections,
		pipeline: $c.pipeline, threads: 1, runs: 3, rps: 100}] |
		.contestants[0].summary.ceiling_share = 1.7' results/round.json >results/low.json
	run "$RPCBENCH_BIN/rpcbench" report results/low.json
	[ "$status" -eq 0 ]
	grep -q '| ≥ 100 % |' results/low.md
	grep -Eq "reached 170 % of the client's ceiling, so that was measured too low" results/low.md
}

@test "draws the charts that the page shows, and nothing of gnuplot's own in them" {
	jq '.contestants[].trials[]?.started_s = 3' results/round.json >results/timed.json
	"$RPCBENCH_BIN/rpcbench" report results/timed.json
	for name in rps cpu latency time; do
		grep -qF "](timed-$name.svg)" results/timed.md
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "results/timed-$name.svg"
		[ "$(grep -ci 'produced by\|gnuplot_plot_1<' "results/timed-$name.svg")" -eq 0 ]
		grep -q 'prefers-color-scheme: dark' "results/timed-$name.svg"
	done
	[ "$(ls results/timed*.svg | wc -l)" -eq 4 ]
	grep -q '<title>Requests per second: 10 connections × pipeline 1</title>' results/timed-rps.svg
	grep -qF '>FAIL: no verified reply: status 297,034<' results/timed-rps.svg
}

@test "nothing but zeros makes no chart" {
	jq '.contestants[].summary |= (if .rps then .rps |= map_values(0) else . end)' results/round.json >a.json
	run "$RPCBENCH_BIN/rpcbench" report a.json
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e a-rps.svg ]
	[ -e a-latency.svg ]
}

@test "names in charts run nothing and break nothing" {
	jq --arg name "\`touch run\`\$(touch run)'\\n%d<&>{}^_" '.contestants[].name |= $name' results/round.json >a.json
	"$RPCBENCH_BIN/rpcbench" report a.json
	[ ! -e run ]
	python3 - <<-'END'
		import xml.dom.minidom as dom
		texts = [t.firstChild.data for t in dom.parse("a-rps.svg").getElementsByTagName("text") if t.firstChild]
		assert "`touch run`$(touch run)'\\n%d…" in texts, texts
	END
}

@test "without gnuplot there is a page without charts, and a message" {
	mkdir empty
	PATH=$PWD/empty run "$RPCBENCH_BIN/rpcbench" report results/round.json
	[ "$status" -eq 0 ]
	[ "$output" = "rpcbench: no charts: gnuplot is not in PATH (package gnuplot-nox)" ]
	cmp results/round.md "$GOLDEN/round.md"
	[ ! -e results/round-rps.svg ]
}

@test "renders the files it is given, and the table with --console" {
	mv results/round.json "a b"
	run "$RPCBENCH_BIN/rpcbench" report --console "a b"
	[ "$status" -eq 0 ]
	diff <(echo "$output") "$GOLDEN/round.txt"
	same_page "a b.md" "$GOLDEN/round.md"
	grep -qF '](a%20b-rps.svg)' "a b.md"
	[ -s "a b-rps.svg" ]
	[ ! -e results/limited.md ]
}

@test "renders a record whose round was killed before its summary" {
	jq 'del(.contestants[].summary)' results/round.json >results/killed.json
	"$RPCBENCH_BIN/rpcbench" report results/killed.json
	same_page results/killed.md "$GOLDEN/round.md"
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
	same_page results/round.md "$GOLDEN/round.md"
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

@test "formats: pages, values and records as one text, on stdout or in a file" {
	report() {
		"$RPCBENCH_BIN/rpcbench" report "$@"
	}
	report --format md results/round.json >page
	cmp page "$GOLDEN/round.md"
	report --format csv -o values
	report --format csv >again
	cmp values again
	python3 - <<-'END'
		import csv, json
		rows = list(csv.DictReader(open("values", newline="")))
		rounds = [json.load(open(f"results/{name}.json")) for name in ("columns", "limited", "round")]
		contestants = [c for r in rounds for c in r["contestants"]]
		assert [r["name"] for r in rows] == [c["name"] for c in contestants]
		for row, c in zip(rows, contestants):
		    rps = (c["summary"].get("rps") or {}).get("median")
		    assert row["rps.median"] == ("" if rps is None else "%.9g" % rps), row
		    assert None not in row and None not in row.values()
	END
	trials=$(jq -s '[.[].contestants[].trials[]] | length' results/*.json)
	[ "$(report --format csv --trials | python3 -c 'import csv, sys; print(len(list(csv.reader(sys.stdin))))')" -eq $((trials + 1)) ]
	report --format json results/round.json | cmp - results/round.json
	[ "$(report --format json | jq -r '.[].round')" = "$(jq -r .round results/*.json)" ]
	[ ! -e results/round.md ]
}

@test "views: the columns of other benchmarks" {
	views=$BATS_TEST_DIRNAME/../golden/views
	for view in autocannon wrk loadtest gobench; do
		"$RPCBENCH_BIN/rpcbench" report --view "$view" "$views/levels.json" | cmp - "$views/$view.md"
	done
	run "$RPCBENCH_BIN/rpcbench" report --view ab results/round.json
	[ "$status" -eq 2 ]
	run "$RPCBENCH_BIN/rpcbench" report --view wrk --format csv
	[ "$status" -eq 2 ]
	[ "$output" = "rpcbench: expected --format or --view, not both" ]
	run "$RPCBENCH_BIN/rpcbench" report --trials
	[ "$status" -eq 2 ]
	run "$RPCBENCH_BIN/rpcbench" report -o x
	[ "$status" -eq 2 ]
}

@test "on a narrow console what says least is left out, and named" {
	jq '.columns = ["rank", "class", "load", "time", "rps", "best", "interval", "rps_per_cpu", "mean",
		"stdev", "p50", "p75", "p90", "p95", "p99", "p100", "bytes", "errors", "limit", "relative"] |
		.contestants |= map(select((.trials | length) > 0 and (.summary.failure | not)))' \
		results/round.json >a.json
	for width in 80 120; do
		COLUMNS=$width "$RPCBENCH_BIN/rpcbench" report --console a.json >"$width"
		[ "$(LC_ALL=C.UTF-8 wc -L <"$width")" -le $width ]
		grep -q '^Too narrow for: .*stdev' "$width"
		grep -q 'contestant .*requests/s .*per CPU-s .*p99 .*errors' "$width"
	done
	[ -z "$(grep '^ *#.*stdev\|^Too narrow for: .*p50' 80 120)" ]
	COLUMNS=0 "$RPCBENCH_BIN/rpcbench" report --console a.json >wide
	grep -q 'stdev' wide
	[ -z "$(grep 'Too narrow' wide)" ]
}

@test "records that are no rounds are passed over when rounds are printed" {
	echo '{"schema": "rpcbench-tools/1"}' >results/tools.json
	echo '{"schema": "rpcbench-find-max/1"}' >results/curve.json
	run "$RPCBENCH_BIN/rpcbench" report --format csv results/*.json
	[ "$status" -eq 0 ]
	[[ "$output" == *round,* && "$output" != *schema:* ]]
}

@test "a drift downwards is a number below 0, and no other field may be one" {
	jq '.trend = {drift: {tau: -0.3, p: 0.01, change: -0.1, n: 20}, position: null,
		position_reason: "none", loads: []}' results/round.json >a.json
	"$RPCBENCH_BIN/rpcbench" report --format csv a.json
	jq '.trend.drift.p = -1' a.json >b.json
	run "$RPCBENCH_BIN/rpcbench" report --format csv b.json
	[ "$status" -eq 1 ]
	[[ "$output" == *"trend.drift.p: expected a number from 0 to 2^53, found -1"* ]]
}

@test "a record of a search that is not as it should be breaks nothing" {
	local odd
	for odd in '.conditions = [1, null]' '.target = null' '.curve = 3' '.curve = [1, "x", null]' \
		'.max_rate = 5 | .curve = [{share: 1e300, trial: null, trial_reason: "\u001b[31m"}]' \
		'.max_rate = 5 | .curve = [{trial: {rate: {target: 1}, latency_ns: {p50: -1}}}, {}]'; do
		jq -n '{schema: "rpcbench-find-max/1", target: "x"} | '"$odd" >odd.json
		"$RPCBENCH_BIN/rpcbench" report --console odd.json >odd.txt
		[ -z "$(grep -a $'\033' odd.txt odd.md)" ]
	done
}
