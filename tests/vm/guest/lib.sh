# SPDX-License-Identifier: GPL-2.0
# Helpers of the guest's test suites. Sourced by a POSIX shell (dash, bash,
# busybox); works for two profilers, so that the expectations can be checked
# against the kernel's own one:
#
#   AP_PROFILER=allocprof  our module, loaded and unloaded by prof_on/prof_off
#   AP_PROFILER=intree     a kernel with CONFIG_MEM_ALLOC_PROFILING; on and off
#                          are the sysctl
#
# From the harness: ENGINE (direct, kretprobe), KVER, CPUS, TESTDIR (the test
# modules' *.ko). PARSERS is where the programs of parsers/ were built.
# shellcheck shell=sh

: "${ENGINE:=auto}" "${TESTDIR:=/tests}" "${KVER:=$(uname -r)}"
# Where the programs of parsers/ are: beside this file.
: "${PARSERS:=$(dirname "$0")/../parsers}" "${CPUS:=$(grep -c '^processor' /proc/cpuinfo)}"

AI_PROC=/proc/allocinfo
AI_SYSCTL=/proc/sys/vm/mem_profiling
AP=/proc/ap_paths
TMP=${TMPDIR:-/tmp}/ap.$$
mkdir -p "$TMP"
trap 'rm -rf "$TMP"' EXIT

# What no healthy kernel says. (Not a trace: it says with one, too, that memory is short.)
COMPLAINTS='BUG|WARNING|Oops|general protection|KASAN|possible recursive|circular locking|inconsistent lock|suspicious RCU|sleeping function|scheduling while atomic|refcount_t|[Bb]ad page|list_(add|del)|still has objects|ODEBUG|unreferenced object|rcu.*stall|soft lockup'

# A kernel that has its own profiler, switched off for good (vm.mem_profiling=never), keeps these names.
if grep -q 'sysctl.vm.mem_profiling=never' /proc/cmdline; then
	AI_PROC=/proc/allocprof/allocinfo AI_SYSCTL=/sys/module/allocprof/parameters/enabled
fi
export AI_PROC AI_SYSCTL COMPLAINTS

if [ -z "${AP_PROFILER:-}" ]; then
	AP_PROFILER=allocprof
	# Only a kernel with its own profiler has the file with nothing loaded.
	if [ -e $AI_PROC ] && ! grep -q '^allocprof ' /proc/modules; then
		AP_PROFILER=intree
	fi
fi

# --- KTAP -----------------------------------------------------------------

ktap_n=0
ktap_bad=0

ktap_plan() {
	echo "KTAP version 1"
	echo "1..$1"
	ktap_planned=$1
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

ok() {
	ktap_n=$((ktap_n + 1))
	echo "ok $ktap_n $1"
}

not_ok() {
	ktap_n=$((ktap_n + 1))
	ktap_bad=$((ktap_bad + 1))
	if [ -n "${2:-}" ]; then
		echo "not ok $ktap_n $1 # $2"
	else
		echo "not ok $ktap_n $1"
	fi
}

# skip NAME WHY: only where the kernel truly lacks the thing.
skip() {
	ktap_n=$((ktap_n + 1))
	echo "ok $ktap_n $1 # SKIP $2"
}

# check NAME COMMAND...: ok if the command succeeds; its output is shown if not.
check() {
	check_name=$1
	shift
	if "$@" >"$TMP/check" 2>&1; then
		ok "$check_name"
	else
		not_ok "$check_name" "$(head -n 1 "$TMP/check" | cut -c 1-200)"
		sed 1d "$TMP/check" | head -n 20 | sed 's/^/# /'
	fi
}

# is NAME GOT WANT
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "is '$2', should be '$3'"
	fi
}

# The suite's last line: bail out loudly if the plan was not met.
ktap_end() {
	if [ "$ktap_n" -ne "$ktap_planned" ]; then
		echo "Bail out! $ktap_n tests were run, $ktap_planned planned"
		exit 1
	fi
	[ "$ktap_bad" -eq 0 ]
}

bail() {
	echo "Bail out! $*"
	exit 1
}

# --- the profiler -----------------------------------------------------------

# prof_on [PARAMETER=VALUE...]
prof_on() {
	if [ "$AP_PROFILER" = intree ]; then
		echo 1 >$AI_SYSCTL
	else
		modprobe allocprof enabled=1 hooks="$ENGINE" "$@"
	fi
}

prof_off() {
	if [ "$AP_PROFILER" = intree ]; then
		echo 0 >$AI_SYSCTL
	else
		rmmod allocprof
	fi
}

# A clean start: no profiler on, whatever the suite before left.
prof_reset() {
	if [ "$AP_PROFILER" = intree ]; then
		echo 0 >$AI_SYSCTL
	elif grep -q '^allocprof ' /proc/modules; then
		rmmod allocprof
	fi
}

# module_file: the module, as finit_module() takes it.
module_file() {
	module_ko=$(modinfo -n allocprof)
	case $module_ko in
	*.xz) xz -dc "$module_ko" >"$TMP/allocprof.ko" && module_ko=$TMP/allocprof.ko ;;
	esac
	echo "$module_ko"
}

loaded() { grep -q "^$1 " /proc/modules; }

load_test_module() {
	loaded "$1" || insmod "$TESTDIR/$1.ko" ${2:+"$2"}
}

unload_test_module() {
	! loaded "$1" || rmmod "$1"
}

# counts FUNC [MOD] [FILE] -> "bytes calls", over all callsites of the function.
counts() {
	awk -v want="func:$1" -v mod="${2:+[$2]}" '
		$NF == want || (NF > 4 && $(NF - 1) == want) {
			if (mod != "" && $4 != mod)
				next
			bytes += $1
			calls += $2
		}
		END { printf "%.0f %.0f\n", bytes, calls }' "${3:-$AI_PROC}"
}

# stat_value KEY: from /proc/allocprof/stats.
stat_value() {
	sed -n "s/^$1: *//p" /proc/allocprof/stats
}

# module_gone: with its files.
module_gone() {
	if loaded allocprof || [ -e $AI_PROC ] || [ -e /proc/allocprof ] || [ -e $AI_SYSCTL ]; then
		echo "half of it is there"
		return 1
	fi
}

# nothing_left [PATTERN]: it is gone, and so is all that it had; but for probes like PATTERN, which are others'. Memory whose owner's
# code is gone would show by its address.
nothing_left() {
	module_gone || return 1
	! grep allocprof /sys/kernel/tracing/enabled_functions /proc/slabinfo || return 1
	! find /sys/kernel/slab -name '*allocprof*' | grep . || return 1
	! grep -v "${1:-^$}" /sys/kernel/debug/kprobes/list | grep . || return 1
	! awk '/allocprof/ || $3 ~ /^0x/' /proc/vmallocinfo | grep . || return 1
}

# console_level N: only what is worse goes to the console, as what is done on purpose is no complaint; until the suite ends.
console_level() {
	if [ -z "${console_was:-}" ]; then
		console_was=$(cut -f 1 /proc/sys/kernel/printk)
		trap 'console_back; rm -rf "$TMP"' EXIT
		trap "exit 1" TERM
	fi
	echo "$1" >/proc/sys/kernel/printk
}
console_back() { echo "$console_was" >/proc/sys/kernel/printk; }

# Before CPUs go and come: 6.12's scheduler loses count of the bandwidth of its servers then, now and then, and warns. ("dl_rq->
# running_bw > old", seen once, as allocprof had just gone; not again in 1,721 offlinings without it, nor in 850 with it.) Without
# these servers it has nothing to count.
no_fair_servers() {
	for fair_server in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$fair_server" ] || echo 0 >"$fair_server"
	done
}

# free_pages: those that a CPU keeps at hand are free, too, but not to /proc/meminfo.
free_pages() {
	awk '$1 == "pages" && $2 == "free" { sum += $3 }
		$1 == "cpu:" { pageset = 1 }
		pageset && $1 == "count:" { sum += $2; pageset = 0 }
		END { print sum }' /proc/zoneinfo
}

# at_rest: what may go has gone. Free objects that a CPU or a slab keeps at hand are not in use.
at_rest() {
	for _ in 1 2 3; do
		sync
		echo 3 >/proc/sys/vm/drop_caches
		for shrink in /sys/kernel/slab/*/shrink; do
			echo 1 >"$shrink"
		done
		sleep 2
	done
}

# cgroup_in_need HIGH: makes a cgroup, $TMP/cg/need, that has too little memory for what is to be put into it.
cgroup_in_need() {
	mkdir -p "$TMP/cg" && mount -t cgroup2 none "$TMP/cg" && echo +memory >"$TMP/cg/cgroup.subtree_control" && mkdir "$TMP/cg/need" &&
		echo "$1" >"$TMP/cg/need/memory.high"
}

# kmemleak WHAT: fails where the kernel has none, or it is not switched on.
kmemleak() { [ -e /sys/kernel/debug/kmemleak ] && echo "$1" 2>/dev/null >/sys/kernel/debug/kmemleak; }

# leaks: what allocprof has leaked, says kmemleak; what it has said before is forgotten. (It says how many on the console, where it
# would be a complaint.) The code is gone, so its frames are bare addresses. One at the very entry of another function is a stub:
# there somebody else allocates. Not ours is the name of a cache that could not be shown in /sys/kernel/slab, as allocations failed:
# kernels up to 6.12 at least forget it there, and a cache that we forget is on the list itself.
leaks() {
	level=$(cut -f 1 /proc/sys/kernel/printk)
	echo 6 >/proc/sys/kernel/printk
	if kmemleak scan; then
		sleep 10
		kmemleak scan
		awk '
			function judge() { if (ours && report !~ /kobject_set_name_vargs.*sysfs_slab_add/) printf "%s", report; report = ""; ours = bare = 0 }
			/^unreferenced object/ { judge() }
			{ report = report $0 "\n" }
			bare { ours += !/\+0x[459]\//; bare = 0 }
			/allocprof/ { ours++ }
			/^ *(\[<[0-9a-f]+>\] )?0x[0-9a-f]+$/ { bare = 1 }
			END { ours += bare; judge() }' /sys/kernel/debug/kmemleak
		kmemleak clear
	fi
	echo "$level" >/proc/sys/kernel/printk
}

# on_purpose_from, on_purpose_to TAINT: what the kernel complains of in between the suite itself judges, tests/vm/verdict does not;
# and that taint comes of it.
on_purpose_from() { echo "<2>allocprof-test: on purpose from here" >/dev/kmsg; }
on_purpose_to() { echo "<2>allocprof-test: on purpose to here, taint $1" >/dev/kmsg; }

# poll SECONDS COMMAND...: until it succeeds; fails when the time is over. For
# what the kernel does in its own time (RCU), never for what must be done.
poll() {
	poll_end=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$poll_end" ] || return 1
		sleep 1
	done
}

# What the kernel's log says after log_mark; and what of allocprof. By a mark in it, as a ring that is full has the same number of
# lines again; where even the mark has been pushed out, all there is came after it.
log_mark() {
	mark_n=0
	[ ! -e "$TMP/log" ] || read -r mark_n <"$TMP/log"
	mark_n=$((mark_n + 1))
	echo $mark_n >"$TMP/log"
	echo "log mark $$.$mark_n." >/dev/kmsg
}
all_log_since() {
	dmesg | awk -v mark="log mark $$.$(cat "$TMP/log")." '
		index($0, mark) { n = 0; next }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}
log_since() { all_log_since | grep allocprof; }
# shellcheck disable=SC2317
log_says() { log_since | grep -E "$1"; }

# --- ap_paths ---------------------------------------------------------------

# path_step PATH STEP
path_step() {
	echo "$1 $2" >$AP/ctl
}

# unproven_hooks: those whose proof failed, or was left out without a reason: some have no harmless one, and what a hook would
# see may pass others.
unproven_hooks() {
	sed 1d /proc/allocprof/hooks | awk '
		$4 == "attached" && $1 ~ /^(migrate|contig|split_folio|kmalloc_flags|cache_alloc_sheaf|kfree_rcu_sheaf)$/ { next }
		$4 != "proven" && $4 != "covered"'
}

# symbol NAME...: which of these names this kernel has.
symbol() {
	for symbol_name; do
		if grep -q " [tT] $symbol_name\$" /proc/kallsyms; then
			echo "$symbol_name"
			return
		fi
	done
	echo "none of $*"
}

# hooked_functions [METHOD]: all functions that hooks are for, or those that are hooked by that method.
hooked_functions() {
	awk -v method="${1:-}" 'NR > 1 && $3 != "event" && $2 != "-" && (method == "" || $3 == method) { print $2 }' /proc/allocprof/hooks
}

# RARELY_CALLED: of these, what no path passes: none moves or splits a folio, or calls 6.1's second per-CPU allocator; 7.2's slab
# allocates by flags, and 7.3's nolock pages by name, when it needs to.
# shellcheck disable=SC2034
RARELY_CALLED='folio_migrate_flags|migrate_page_states|folio_split_memcg_refs|__alloc_percpu_gfp|__kmalloc_flags_noprof|alloc_frozen_pages_nolock_noprof'

# direct_by_ops: direct calls have an ftrace_ops of their own: not on 5.10.
direct_by_ops() {
	grep -q ' unregister_ftrace_direct_multi$\| modify_ftrace_direct_nolock$' /proc/kallsyms
}

# kretprobes_stop: this kernel's unwinder stops at a kretprobe: until 5.15, when the trampoline's name got its underscores.
kretprobes_stop() {
	grep -q ' kretprobe_trampoline$' /proc/kallsyms
}

# hides_callers: other tools' kretprobes are there, and stop it: no allocator's caller is known to a direct call.
hides_callers() {
	kretprobes_stop && grep -q '^r' /sys/kernel/tracing/kprobe_events
}

# graph_between: a graph tracer is on, or something else that is made of it ($GRAPH), and may come between a caller and a kretprobe
# of ours.
graph_between() {
	[ "$ENGINE" = kretprobe ] && { [ -n "${GRAPH:-}" ] || [ "$(cat /sys/kernel/tracing/current_tracer)" = function_graph ]; }
}

# blind_behind PATH: the path looks at a stack trace, and there is a kretprobe, ours or another, that stops it; or ours has a graph
# tracer between it and its caller: of the two return addresses that were replaced the kernel's unwinder recovers one.
blind_behind() {
	[ "$1" = ap_stack ] || return 1
	graph_between || hides_callers || { kretprobes_stop && [ -n "$(hooked_functions kretprobe)" ]; }
}

# path_run STEP GROUP...: that step of every path in these groups that has it.
path_run() {
	run_step=$1
	shift
	path_list "$@" >"$TMP/run"
	while read -r run_name run_steps _; do
		[ "$run_step" -lt "$run_steps" ] || continue
		path_step "$run_name" "$run_step" || blind_behind "$run_name" || {
			echo "$run_name fails in step $run_step"
			return 1
		}
	done <"$TMP/run"
}

# path_drain FROM GROUP...: all steps from FROM on, so that nothing is left.
path_drain() {
	drain_step=$1
	shift
	while [ "$drain_step" -lt 9 ]; do
		path_run "$drain_step" "$@" || return 1
		drain_step=$((drain_step + 1))
	done
}

# no_bad: model_compare of now says no path is wrong; prints those that are.
no_bad() {
	model_compare "${1:-/dev/null}" >"$TMP/cmp"
	! grep ' bad ' "$TMP/cmp"
}

# paths_exact GROUP...: every path of these groups, with exact counts in between and nothing in the end, whatever was wrong before.
paths_exact() {
	cat "$AI_PROC" >"$TMP/base"
	path_run 0 "$@" >"$TMP/wrong"
	no_bad "$TMP/base" >>"$TMP/wrong"
	path_drain 1 "$@" && no_bad "$TMP/base" && ! grep . "$TMP/wrong"
}

# exact: the same of the groups in PATHS; and all hooks are proven.
# shellcheck disable=SC2086
exact() {
	unproven_hooks >"$TMP/unproven"
	paths_exact $PATHS && ! grep . "$TMP/unproven"
}

# exact_or_marked: where a graph tracer comes between a caller and a kretprobe, and the allocator calls another hooked
# one (pages behind a large kmalloc), the caller is hidden for good. Everything else is exact; such a count stands on a
# line that says that it is not accurate; nothing is lost or stays behind. The direct engine gets there only where other
# tools' kretprobes hide everybody.
# shellcheck disable=SC2086
exact_or_marked() {
	graph_between || hides_callers || { exact; return; }
	cat $AI_PROC >"$TMP/base"
	path_run 0 $PATHS || return 1
	no_bad "$TMP/base" >"$TMP/hidden"
	awk '$1 > 0 && / accurate:no $/' $AI_PROC >"$TMP/marked"
	path_drain 1 $PATHS && no_bad "$TMP/base" || return 1
	if [ "$ENGINE" = kretprobe ] && grep -v -E '^(ap_exact|ap_large|ap_kfree_bulk|ap_rht)' "$TMP/hidden"; then
		echo "and these are hidden by nothing"
		return 1
	fi
	[ ! -s "$TMP/hidden" ] || [ -s "$TMP/marked" ] || { echo "no line is marked"; return 1; }
}

# bpf_on KIND FUNCTION...: BPF programs of that kind (parsers/bpf_tracer.c) on these functions, until bpf_off; on which they are
# is in $TMP/attached, what became of each in $TMP/bpf. Fails where they are on none.
bpf_on() {
	: >"$TMP/bpf"
	"$PARSERS/bpf_tracer" "$@" >"$TMP/bpf" 2>"$TMP/bpf.err" &
	bpf=$!
	until grep -q '^ready' "$TMP/bpf"; do
		kill -0 $bpf 2>/dev/null || { cat "$TMP/bpf.err"; return 1; }
		sleep 0.1
	done
	grep ' attached$' "$TMP/bpf" | cut -d ' ' -f 1 >"$TMP/attached"
	[ -s "$TMP/attached" ] || { cat "$TMP/bpf"; return 1; }
}
bpf_off() {
	kill $bpf
	wait $bpf && grep -q '^done' "$TMP/bpf"
}

# path_list GROUP...: "NAME STEPS FLAGS" of the paths in these groups.
path_list() {
	awk -v groups=" $* " 'index(groups, " " $2 " ") { print $1, $3, $4 }' $AP/list
}

# slab_size CACHE: the slot size of that cache, into slab_size. A kmalloc cache that the kernel does not make (on arm64, where
# DMA wants whole cache lines to itself, the small ones) is the next larger one that it does. Fails where there is none.
slab_size() {
	if [ -r "/sys/kernel/slab/$1/slab_size" ]; then
		read -r slab_size <"/sys/kernel/slab/$1/slab_size"
		return
	fi
	case $1 in
	*kmalloc-*) ;;
	*) return 1 ;;
	esac
	slab_smaller=1
	for slab_try in 8 16 32 64 96 128 192 256 512 1k 2k 4k 8k; do
		[ "$slab_try" != "${1##*-}" ] || slab_smaller=
		[ -n "$slab_smaller" ] || [ ! -r "/sys/kernel/slab/${1%-*}-$slab_try/slab_size" ] || break
	done
	[ -z "$slab_smaller" ] && [ -r "/sys/kernel/slab/${1%-*}-$slab_try/slab_size" ] &&
		read -r slab_size <"/sys/kernel/slab/${1%-*}-$slab_try/slab_size"
}

# slab_sizes: "CACHE SIZE" for every cache the model names.
slab_sizes() {
	for cache in $(awk '{ print $3 }' $AP/model | sort -u); do
		case $cache in
		page | byte) ;;
		*)
			# No process for each of dozens: a suite asks this often. Accounted objects have caches of their own from 5.14 on.
			if slab_size "$cache" || slab_size "${cache%%cg-*}${cache#*cg-}"; then
				echo "$cache $slab_size"
			fi
			;;
		esac
	done
}

# model_compare BASE: what should be live against what the profiler says.
# Prints a line for every path: "PATH ok" or "PATH bad WHY". BASE is a copy of
# the profiler's file from before; it matters only for the kernel's own
# functions, of which the growth is checked with a margin of a tenth.
# What is marked ? may be on the account or not (ap.h).
# One more line, "unexpected ok|bad", is about functions of the module that the
# model does not know.
model_compare() {
	cat $AI_PROC >"$TMP/now"
	cat $AP/model >"$TMP/model"
	slab_sizes >"$TMP/sizes"
	awk -v intree="$([ "$AP_PROFILER" != intree ] || echo 1)" -v page="$(getconf PAGESIZE 2>/dev/null || echo 4096)" '
	function func_of(   i) {
		for (i = NF; i > 3; i--)
			if (substr($i, 1, 5) == "func:")
				return substr($i, 6)
		return ""
	}
	FILENAME ~ /\/sizes$/ { size[$1] = $2; next }
	FILENAME ~ /\/model$/ {
		path[$1] = 1
		maybe = substr($2, 1, 1) == "?"
		if (maybe)
			$2 = substr($2, 2)
		key = $1 SUBSEP $2
		has[key] = 1
		known[$2] = 1
		if ($3 == "page")
			bytes = $5 * page
		else if ($3 == "byte")
			bytes = $5
		else if ($3 in size)
			bytes = $4 * size[$3]
		else {
			bytes = 0
			why[$1] = why[$1] " no slab size of " $3
		}
		if (maybe) {
			maybe_calls[$2] += $4
			maybe_bytes[$2] += bytes
			next
		}
		want_calls[key] += $4
		want_bytes[key] += bytes
		sum_calls[$2] += $4
		sum_bytes[$2] += bytes
		next
	}
	FILENAME ~ /\/base$/ { b_bytes[func_of()] += $1; b_calls[func_of()] += $2; next }
	{
		f = func_of()
		if ($4 == "[ap_paths]") {
			bytes_of[f] += $1
			calls_of[f] += $2
		} else if ($0 !~ / \[/) {
			kbytes_of[f] += $1
			kcalls_of[f] += $2
		}
	}
	function abs(x) { return x < 0 ? -x : x }
	END {
		for (key in has) {
			split(key, k, SUBSEP)
			p = k[1]; f = k[2]
			if (substr(f, 1, 1) == "!") {
				g = substr(f, 2)
				dc = kcalls_of[g] - b_calls[g]
				db = kbytes_of[g] - b_bytes[g]
				mc = want_calls[key] / 10 + 50
				mb = want_bytes[key] / 10 + 50000
				if (abs(dc - want_calls[key]) > mc ||
				    abs(db - want_bytes[key]) > mb)
					why[p] = why[p] sprintf(" %s grew by %.0f/%.0f, should be about %.0f/%.0f", g, db, dc, want_bytes[key], want_calls[key])
				continue
			}
			if (!intree && f in maybe_calls &&
			    bytes_of[f] == sum_bytes[f] + maybe_bytes[f] &&
			    calls_of[f] == sum_calls[f] + maybe_calls[f])
				continue
			# One function may serve several paths: compare sums.
			if (bytes_of[f] + 0 != sum_bytes[f] || calls_of[f] + 0 != sum_calls[f])
				why[p] = why[p] sprintf(" %s has %.0f/%.0f, should be %.0f/%.0f", f, bytes_of[f], calls_of[f], sum_bytes[f], sum_calls[f])
		}
		for (p in path)
			print p, (p in why) ? "bad" why[p] : "ok"
		for (f in bytes_of)
			if (!(f in known) && (bytes_of[f] != 0 || calls_of[f] != 0))
				extra = extra sprintf(" %s has %.0f/%.0f", f, bytes_of[f], calls_of[f])
		print "unexpected", extra == "" ? "ok" : "bad" extra
	}' "$TMP/sizes" "$TMP/model" "${1:-/dev/null}" "$TMP/now"
}

# model_ok PATH: the path's accounts are as they should be right now.
model_ok() {
	model_compare "$TMP/base" >"$TMP/cmp"
	grep -q "^$1 ok" "$TMP/cmp"
}

# missed_allocs: what the kernel says its kretprobes dropped. (Frees are never hooked by one: suite 60-hooks.)
missed_allocs() {
	awk '$3 == "kretprobe" { n += $6 } END { print n + 0 }' /proc/allocprof/hooks
}

# only_missed WHY: true if model_compare's "why" is about allocations, and no more of them, that kretprobes have missed:
# too few at each function, in all at most what the kernel counted as dropped.
only_missed() {
	[ "$ENGINE" = kretprobe ] && [ "$AP_PROFILER" != intree ] || return 1
	echo "$1" | sed 's/, should be / /g; s/ has / /g; s,/, ,g' | awk -v missed="$(missed_allocs)" '
		{
			for (i = 1; i + 4 <= NF; i += 5) {
				if ($(i + 2) > $(i + 4) || $(i + 1) > $(i + 3))
					exit bad = 1
				short += $(i + 4) - $(i + 2)
			}
			if (NF % 5)
				exit bad = 1
		}
		END { exit bad || short > missed }'
}

# report NAME PATH FILE: a KTAP line from model_compare's output in FILE.
report() {
	report_line=$(grep "^$2 " "$3") || report_line="$2 bad the path is not in the model"
	report_why=${report_line#"$2 bad"}
	if [ "$report_line" = "$2 ok" ]; then
		ok "$1"
	elif only_missed "$report_why"; then
		# A kretprobe that hits inside another probe is dropped by the kernel.
		diag "$1: missed by kretprobes, and said so:$report_why"
		ok "$1"
	else
		not_ok "$1" "$report_why"
	fi
}
