#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: configure.sh PROBES SYMVERS CC [FLAG]...
#
# Writes a header with a HAVE_* for each thing of PROBES that this kernel
# offers, found by compiling a few lines that use it, with the compiler and the
# flags that the module is built with; what is exported stands in SYMVERS.
# No answer is derived from a version.  Ends with one line, starting with
# "allocprof:", and no header where the module cannot be built.
set -u
# The compiler is asked what it says, too.
export LC_ALL=C
probes=$1 symvers=$2
shift 2

refuse() {
	echo "allocprof: $*" >&2
	exit 1
}

[ -r "$symvers" ] || refuse "cannot read $symvers: install the matching linux-headers package"

tmp=$(mktemp -d) || refuse "no temporary directory to probe this kernel in; is TMPDIR writable?"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# compile NAME HEADERS CODE: does this compile?  Run later; the answer is a file, NAME.yes or NAME.no.  Of a NEED_* it must be
# yes.
compile() {
	{
		printf '#include <linux/%s>\n' $2
		printf '%s\n' "$3"
	} > "$tmp/$1.c" || refuse "cannot write to $tmp to probe this kernel; is there room?"
}

# "No" is only what the compiler says of these lines.  If it was killed, or has nothing to say, nobody has answered.
run() {
	"$@" -Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Wno-unused -Wno-missing-prototypes \
		-Wno-missing-declarations -DMODULE -DKBUILD_MODNAME='"allocprof"' -fsyntax-only "$tmp/$probe.c" \
		> "$tmp/$probe.log" 2>&1
	status=$?
	if [ "$status" = 0 ]; then
		: > "$tmp/$probe.yes"
	elif [ "$status" = 1 ] && grep -qE "error:" "$tmp/$probe.log"; then
		: > "$tmp/$probe.no"
	fi
}

# Sanity: a broken tree, or compiler, must not read as "absent", nor as "there".
compile SANE "module.h ftrace.h kprobes.h sysctl.h mm.h slab.h" 'void *f = kfree; int n = sizeof(struct module);'
compile INSANE "module.h" 'void *f = allocprof_no_such_function;'

# shellcheck source=/dev/null
. "$probes"

# Four at a time.
n=0
for probe in "$tmp"/*.c; do
	probe=$(basename "$probe" .c)
	run "$@" &
	n=$((n + 1))
	[ $((n % 4)) != 0 ] || wait
done
wait

if [ ! -e "$tmp/SANE.yes" ]; then
	refuse "cannot compile against this kernel's headers: $(grep -m 1 -E 'error|not found' "$tmp/SANE.log" || echo no reason given);" \
		"install the matching linux-headers package and its compiler"
fi
[ ! -e "$tmp/INSANE.yes" ] || refuse "the compiler accepts anything: $1"
for probe in "$tmp"/*.c; do
	probe=$(basename "$probe" .c)
	[ -e "$tmp/$probe.yes" ] || [ -e "$tmp/$probe.no" ] ||
		refuse "the compiler did not answer, was it killed? $(tail -n 1 "$tmp/$probe.log"); build it again"
	[ "$probe" = "${probe#NEED_}" ] || [ -e "$tmp/$probe.yes" ] ||
		refuse "not supported on this kernel: its ${probe#NEED_} interface is not as this version of allocprof knows it"
done

{
	echo "/* Made by configure.sh. */"
	for probe in "$tmp"/*.yes; do
		probe=$(basename "$probe" .yes)
		case $probe in SANE | NEED_*) ;; *) echo "#define HAVE_$probe 1" ;; esac
	done
	# Exported functions: a direct stub can call only what the module is linked to.
	awk '$2 ~ /^[A-Za-z_]+$/ && $2 ~ /alloc|free|split|migrate|kmalloc|synchronize_rcu_tasks/ {
		print "#define HAVE_SYM_" $2 " 1" }' "$symvers"
} > "$tmp/have.h"

has() {
	for sym; do
		grep -q "HAVE_SYM_$sym 1" "$tmp/have.h" && return 0
	done
	return 1
}
has kfree && has kmem_cache_free || refuse "cannot read $symvers: install the matching linux-headers package"
check_exports
cat "$tmp/have.h"
