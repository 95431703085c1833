# What `make install` copies: programs, data, man pages and completion, all in working order.

setup_file() {
	local build
	build=$(basename "$(dirname "$RPCBENCH_BIN")")
	cd "$BATS_TEST_DIRNAME/../.."
	make -s install BUILD="$build" DESTDIR="$BATS_FILE_TMPDIR/dest" prefix=/usr >/dev/null
}

setup() {
	usr=$BATS_FILE_TMPDIR/dest/usr
}

@test "the program finds its data, and its servers answer" {
	cd /
	run "$usr/bin/rpcbench" verify http-hello
	[ "$status" -eq 0 ]
	[[ "$output" =~ http-hello.*ok ]]
}

@test "each command has a man page with its options" {
	for command in $("$usr/bin/rpcbench" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		page=$usr/share/man/man1/rpcbench-$command.1
		grep -q '\.SH SYNOPSIS' "$page"
		grep -q '\.SH "EXIT STATUS"' "$page"
		grep -q -- '\\-\\-help' "$page"
	done
	grep -q 'compare' "$usr/share/man/man1/rpcbench.1"
}

@test "help COMMAND prints what COMMAND --help does" {
	[ "$("$usr/bin/rpcbench" help load)" = "$("$usr/bin/rpcbench" load --help)" ]
	[ "$("$usr/bin/rpcbench" help)" = "$("$usr/bin/rpcbench" --help)" ]
	run "$usr/bin/rpcbench" help nothing
	[ "$status" -eq 2 ]
}

# complete WORD…: what bash would offer for the last of them
complete_words() {
	bash -c 'source "$1"; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rpcbench; echo "${COMPREPLY[*]}"' \
		bash "$usr/share/bash-completion/completions/rpcbench" "$usr/bin/rpcbench" "$@"
}

@test "bash completes commands, rounds, contestants and options" {
	[ "$(complete_words do)" = doctor ]
	[ "$(complete_words load --conn)" = --connections ]
	[[ "$(complete_words run rou)" =~ "round1 round2" ]]
	[ "$(complete_words run round1 --only thrift-f)" = thrift-framed ]
	[ "$(complete_words help comp)" = compare ]
	cd "$BATS_TEST_TMPDIR"
	touch some.json
	[ "$(complete_words report so)" = some.json ]
}

@test "colours: when asked, and never into a pipe or against NO_COLOR" {
	report=("$usr/bin/rpcbench" report --console)
	cp "$BATS_TEST_DIRNAME/../golden/report/limited.json" "$BATS_TEST_TMPDIR/a.json"
	cd "$BATS_TEST_TMPDIR"
	[ "$("${report[@]}" --color always a.json | grep -c $'\033')" -gt 0 ]
	[ "$("${report[@]}" a.json | grep -c $'\033')" -eq 0 ]
	[ "$("${report[@]}" --color never a.json | grep -c $'\033')" -eq 0 ]
	[ "$(script -qec "${report[*]} a.json" /dev/null | grep -c $'\033')" -gt 0 ]
	[ "$(NO_COLOR=1 script -qec "${report[*]} a.json" /dev/null | grep -c $'\033')" -eq 0 ]
}
