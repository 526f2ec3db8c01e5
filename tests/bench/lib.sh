# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For scripts that boot a guest with the profiler, a module that tries it, and little else. $work is their directory.

. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"
BENCH=$TOP/tests/bench

quietly() {
	"$@" > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		die "failed: $*"
	}
}

# stage DIR ALLOCPROF MODULE FILE...: the sources of both modules, the profiler's from a directory or, if that is empty, from
# this tree, in a directory of this run: nothing is built in the tree.
stage() {
	local to=$1 allocprof=$2 module=$3
	shift 3
	mkdir -p "$to/$module" "$to/allocprof"
	cp "$@" "$to/$module"
	if [ -n "$allocprof" ]; then
		cp -r "$allocprof/." "$to/allocprof"
	else
		(cd "$TOP" && source_files Kbuild module | tar --null -T - -cf -) | tar -C "$to/allocprof" -xf -
	fi
}

# initramfs_dir DIR INIT FROM...: a root directory of busybox, the init, with what all have in common, and all modules built in FROM.
initramfs_dir() {
	local root=$1 init=$2
	shift 2
	rm -rf "$root"
	mkdir -p "$root"/{bin,dev,proc,sys}
	cp /bin/busybox "$root/bin"
	find "$@" -name '*.ko' -exec cp {} "$root" \;
	install -m 755 "$init" "$root/init"
	cp "$BENCH/init.common" "$root"
}

# guest NAME ROOT CONSOLE RESULTS COMMAND...: boot it by this command, QEMU's, with these files, behind those of $work/first if
# there are any (ACPI tables come first); any uncleanness is the end.
guest() {
	local name=$1 root=$2 log=$3 results=$4 status=0 dir
	shift 4
	: > "$work/initrd"
	for dir in "$work/first" "$root"; do
		[ ! -d "$dir" ] || (cd "$dir" && find . -mindepth 1 | cpio -o -H newc --quiet) >> "$work/initrd"
	done
	"$@" -initrd "$work/initrd" -serial "file:$log" -serial "file:$work/results" < /dev/null || status=$?
	tr -d '\r' < "$work/results" > "$results"
	if [ "$status" != 0 ] || [ "$(tail -n 1 "$results")" != "done" ] ||
		! grep -q 'reboot: Power down' "$log" || ! "$VM/complaints" "$log" >&2; then
		tail -n 40 "$log" >&2
		cat "$results" >&2
		die "$name: the guest was not clean (QEMU's status $status)"
	fi
}
