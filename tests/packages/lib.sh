# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests of the packages share: a userland that can be changed, and KTAP. Sourced, behind tests/vm/lib.sh, by
# scripts that run in a mount namespace of their own.

# private SCRIPT ARG...: run the script again where its mounts are seen by nobody else, and end with it.
private() {
	[ "$(id -u)" = 0 ] || die "run this as root: it mounts and enters a Debian root directory"
	[ "${ALLOCPROF_PRIVATE:-}" = $$ ] ||
		exec env ALLOCPROF_PRIVATE=$$ unshare --mount --propagation private "$@"
}

# What runs that were killed have left; their mounts went with them.
stale() {
	find "$CACHE" -maxdepth 1 -name 'tmp.packages.*' -mmin +180 -exec rm -rf --one-file-system {} +
}

# overlay LOWER NAME: mount, at $tmp/NAME.root, a root directory that looks like LOWER (several: L1:L2, the upper first), and
# whose changes go to $tmp/NAME. The cached userland below is never written to.
overlay() {
	mkdir -p "$tmp/$2" "$tmp/$2.work" "$tmp/$2.root"
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$tmp/$2,workdir=$tmp/$2.work,metacopy=off,redirect_dir=off" "$tmp/$2.root"
}

# overlay_done NAME: no mount any more; $tmp/NAME can be a lower one.
overlay_done() {
	umount "$tmp/$1.root"
	rm -rf --one-file-system "$tmp/$1.work"
}

# quietly COMMAND...: what it says matters when it fails only; it is in $tmp/said.
quietly() {
	local status=0
	"$@" > "$tmp/said" 2>&1 < /dev/null || status=$?
	return "$status"
}
apt_in() {
	local root=$1
	shift
	quietly in_root "$root" "" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o APT::Install-Recommends=false \
		-o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false -o DPkg::Use-Pty=0 "$@"
}

# debian_lists ROOT: what the archive has, as tests/vm/userland knows it, for the root's own apt; and what was downloaded before.
debian_lists() {
	mkdir -p "$1/var/lib/apt/lists" "$1/var/cache/apt/archives"
	mount --bind "$CACHE/apt-$RELEASE/lists" "$1/var/lib/apt/lists"
	mount --bind "$CACHE/apt-$RELEASE/cache/archives" "$1/var/cache/apt/archives"
}
no_debian_lists() {
	umount "$1/var/lib/apt/lists" "$1/var/cache/apt/archives"
}

tmp='' # the script's own directory

# A script that dies half way has failed: it has shown no plan.

# result STATUS NAME: one line of KTAP; what was said last goes with a failure.
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2"
		return
	fi
	[ ! -s "$tmp/said" ] || tail -n "${SAID:-40}" "$tmp/said" | sed 's/^/# /'
	echo "not ok $count $2"
	# shellcheck disable=SC2034
	failed=1
}

# holds NAME COMMAND...
holds() {
	local name=$1 bad=0
	shift
	quietly "$@" || bad=1
	result "$bad" "$name"
}
no() { ! "$@"; }
