# bash completion for rpcbench. Options come from each command's own --help, names from
# rpcbench list, so that this file needs no change when they do.

_rpcbench_commands() {
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\)  *[^ ].*/\1/p'
}

_rpcbench_options() {
	"$1" "$2" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*'
}

# The words of one table of rpcbench list: contestants, or rounds.
_rpcbench_names() {
	"$1" list 2>/dev/null | awk -v table="$2" '
		NF == 0 { next }
		$1 == "CONTESTANT" || $1 == "ROUND" { now = $1; next }
		now == table { print $1 }'
}

_rpcbench() {
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local words=

	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$(_rpcbench_commands "$program")
	elif [ "$before" = --only ] || [ "$before" = --skip ]; then
		words=$(_rpcbench_names "$program" CONTESTANT)
	elif [[ $word == -* ]]; then
		words=$(_rpcbench_options "$program" "$command")
	else
		case $command in
		run) words=$(_rpcbench_names "$program" ROUND) ;;
		verify) words=$(_rpcbench_names "$program" CONTESTANT) ;;
		help) words=$(_rpcbench_commands "$program") ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	# Whatever is no name of ours may be a file.
	[ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _rpcbench rpcbench
