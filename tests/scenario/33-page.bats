# Goal: one page over all rounds, that reads without scripts, and sorts, filters and draws with
# them, for everybody. The same records give the same bytes.

load helper

HERE=$BATS_TEST_DIRNAME
GOLDEN=$HERE/../golden/report

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir results
	cp "$GOLDEN"/*.json results
}

page() {
	"$RPCBENCH_BIN/rpcbench" report --format html "$@"
}

# data FILTER: apply a jq filter to the data in the page on stdin.
data() {
	sed -n 's|^<script id="data" type="application/json">\(.*\)</script>$|\1|p' | jq -re "$1"
}

# A round in which strangers named things.
hostile() {
	jq '.title = "</title><img src=x onerror=alert(2)>\u2028" |
		.contestants[1].name = "</script><script>alert(1)</script>" |
		.contestants[1].description = "\" onmouseover=\"alert(3)" |
		.environment.compiler = "<!--<script>"' results/round.json >results/hostile.json
}

@test "report writes results/index.html over all rounds, twice the same" {
	"$RPCBENCH_BIN/rpcbench" report
	cp results/index.html first.html
	"$RPCBENCH_BIN/rpcbench" report
	cmp results/index.html first.html
	[ "$(data '[.groups[].file] | unique | join(" ")' <first.html)" = "columns.json limited.json round.json" ]
	[ "$(data '.rows | length' <first.html)" = 16 ]
	[ "$(grep -c '<tr data-row=' first.html)" = 16 ]
}

@test "--format html prints the same page, and writes nothing" {
	"$RPCBENCH_BIN/rpcbench" report
	mv results/index.html first.html
	rm results/*.md results/*.svg
	page results/*.json | cmp - first.html
	page >out.html
	cmp out.html first.html
	[ "$(ls results)" = "$(printf '%s\n' columns.json limited.json round.json)" ]
	[ "$(page results/limited.json | data '.rows | length')" = 3 ]
}

@test "a bad record is named, the others are on the page" {
	echo '{' >results/bad.json
	run "$RPCBENCH_BIN/rpcbench" report
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$(data '.rows | length' <results/index.html)" = 16 ]
}

@test "the page needs no other file, and is small" {
	page results/*.json >page.html
	[ "$(stat -c %s page.html)" -lt 1500000 ]
	! grep -nE '<(link|script|img|iframe)[^>]*(src|href)="[^d]' page.html
	! grep -n '{{' <(grep -v 'Chart.js' page.html | awk 'length < 2000')
	grep -q 'href="../METHOD.md"' page.html
	grep -q '<a download href="limited.json">limited.json</a>' page.html
	grep -q 'Released under the MIT License' page.html
}

@test "what strangers wrote is escaped" {
	hostile
	page results/hostile.json >page.html
	[ "$(grep -c '<script' page.html)" = 3 ]
	! grep -q 'alert(1)</script>' page.html
	! grep -q '<img' page.html
	grep -q '>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/scrip…</th>' page.html
	grep -q 'title="&quot; onmouseover=&quot;alert(3)"' page.html
	[ "$(data '.rows[0].name' <page.html)" = '</script><script>alert(1)</scrip…' ]
	[ "$(data '.groups[0].title | endswith("\u2028")' <page.html)" = true ]
	! grep -q $'\u2028' page.html
}

@test "in a browser: draws, sorts, filters, by keys, narrow, dark, without scripts" {
	command -v chromium >/dev/null || skip "chromium is not installed: scripts/setup browser"
	command -v node >/dev/null || skip "node is not installed"
	page results/*.json >page.html
	timeout 240 node "$HERE/page_browser.js" page.html draws tooltips sorts failures_last keyboard \
		filters narrow dark plain labelled 3>&-
}

@test "in a browser: what strangers wrote is text" {
	command -v chromium >/dev/null || skip "chromium is not installed: scripts/setup browser"
	command -v node >/dev/null || skip "node is not installed"
	hostile
	page results/hostile.json >page.html
	timeout 120 node "$HERE/page_browser.js" page.html hostile 3>&-
}

@test "run writes the page over the records in its folder, unless options changed the round" {
	jq -n '{name: "tiny", title: "Tiny", call: "hello", contestants: ["http-hello"],
		levels: [{connections: 1, pipeline: 1}], trials: 1, duration: "200ms", warmup: "50ms"}' >tiny.json
	"$RPCBENCH_BIN/rpcbench" run ./tiny.json --out "$PWD/results"
	[ "$(data '[.groups[].file] | unique | join(" ")' <results/index.html)" = \
		"columns.json limited.json round.json tiny.json" ]
	"$RPCBENCH_BIN/rpcbench" run ./tiny.json --out "$PWD/changed" --trials 1
	[ -e changed/tiny.json ]
	[ ! -e changed/index.html ]
}
