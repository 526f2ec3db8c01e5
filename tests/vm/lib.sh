# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What every script of the VM harness shares. Sourced by bash scripts, from anywhere.

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$VM/../.." && pwd)
CACHE=${ALLOCPROF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/allocprof}
export PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$CACHE"

# Which Debian release, of the machine's own mirror; apt for it, as if this machine had only its sources: userland makes them.
export RELEASE=${RELEASE:-bookworm}
# An index of sid's may be past its date where the mirror is a snapshot.
APT_RELEASE=(-o "Dir::Etc::SourceList=$CACHE/apt-$RELEASE/sources.list" -o Dir::Etc::SourceParts=-
	-o "Dir::State::Lists=$CACHE/apt-$RELEASE/lists" -o "Dir::Cache=$CACHE/apt-$RELEASE/cache"
	-o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root)

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() {
	echo "== $*" >&2
}

# The files a checkout would hold: what is tracked, and what is new and not ignored, so that a change can be
# tested before it is committed. A release tarball has no git: there it is every file.
source_files() {
	if [ -e "$TOP/.git" ]; then
		git -c safe.directory='*' -C "$TOP" ls-files -z --cached --others --exclude-standard -- "$@"
	else
		(cd "$TOP" && find "${@:-.}" -type f -print0)
	fi | sort -zu | while IFS= read -r -d '' f; do
		# A file deleted but not yet committed is still listed.
		[ ! -f "$TOP/$f" ] || printf '%s\0' "$f"
	done
}

# Name and content of those files, as one short key.
source_key() {
	(cd "$TOP" && source_files "$@" | xargs -0r sha256sum) | sha256sum | cut -c1-12
}

# The releases to test, one a line: $KERNELS, or all that the userland holds. A word of KERNELS that is no release is
# a prefix of some, up to a dot, dash or plus ("6.1" is not "6.12").
kernel_releases() {
	local root=$1 want k found=
	for want in ${KERNELS:-.}; do
		found=
		for k in "$root"/lib/modules/*/; do
			k=$(basename "$k")
			case $want in
			.) ;;
			*) [[ $k == "$want" || $k == "$want"[.+-]* ]] || continue ;;
			esac
			found=1
			echo "$k"
		done
		[ -n "$found" ] || die "no kernel '$want' in the userland; it has:" $(ls "$root/lib/modules")
	done | sort -u -V
}

# Run a command inside a root directory, with /proc and /dev; the mounts vanish with the command's mount namespace.
# A third directory, where not empty, is seen inside as /mnt.
in_root() {
	local root=$1 mnt=$2
	shift 2
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -euc '
		root=$1 mnt=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount --bind /dev "$root/dev"
		[ -z "$mnt" ] || mount --bind "$mnt" "$root/mnt"
		exec chroot "$root" "$@"' in_root "$root" "$mnt" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}
