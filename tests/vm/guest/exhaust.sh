# SPDX-License-Identifier: GPL-2.0
# For suites that use ap_exhaust; sourced after lib.sh.
# shellcheck shell=sh

CTL=/sys/module/ap_exhaust/parameters

# run COMMAND: and what the module says, into $big $sites $slabs $after, and $full $counter $vector $others; what kretprobes missed
# meanwhile is $missed.
run() {
	missed=$(missed_allocs)
	echo "$1" >$CTL/ctl || bail "ap_exhaust: $1"
	IFS=, read -r big sites slabs after _ <$CTL/live
	IFS=, read -r full counter vector others <$CTL/lost
	missed=$(($(missed_allocs) - missed))
	diag "$1: live $big $sites $slabs $after, lost $full $counter $vector $others, missed $missed"
}
calls() {
	calls=$(counts "$1" ap_exhaust)
	echo "${calls#* }"
}
# is_or_missed NAME GOT WANT: with the direct engine; or as many less as kretprobes have missed.
is_or_missed() {
	if [ "$2" -lt "$3" ] && [ $(($3 - $2)) -le "$missed" ]; then
		diag "$1: $2 of $3, the rest was missed by kretprobes, and said so"
		ok "$1"
	else
		is "$@"
	fi
}
# marked FUNC: how many of its rows say that they are not accurate, of how many.
marked() {
	awk -v f="func:$1" '$4 == "[ap_exhaust]" && $5 == f { n++; m += /accurate:no/ } END { print m + 0, n + 0 }' $AI_PROC
}
# shellcheck disable=SC2317
goes_off() {
	prof_off && nothing_left
}
# How many processes the kernel has killed for want of memory.
oom_kills() { sed -n 's/^oom_kill //p' /proc/vmstat; }
