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
	-o "Dir::Etc::Preferences=$CACHE/apt-$RELEASE/preferences" -o "Dir::Etc::PreferencesParts=$CACHE/apt-$RELEASE/parts"
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

# flavours_of RELEASE: which of its kernels make check and make bench have a userland with. What each is there for: its dkms and
# compiler, and a flavour that the others do not have. `make matrix` has all.
flavours_of() {
	case $1 in
	bookworm) echo cloud amd64 ;;
	trixie) echo rt ;;
	*) echo cloud ;;
	esac
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

# libraries ROOT DIR PROGRAM: what ROOT's program, that is in DIR already, is linked with: into DIR, at the same paths.
libraries() {
	local lib
	in_root "$1" "$2" ldd "/mnt$3" | grep -o '/[^ ]*' | while read -r lib; do
		mkdir -p "$2${lib%/*}"
		cp -L "$1$lib" "$2$lib"
	done
}

# The Debian sources of the machine's own mirror: its own for its own release; for another, the same mirror's.
debian_sources() {
	# shellcheck disable=SC2016
	local format='$(ORIGIN)|deb $(SITE) $(CODENAME) $(COMPONENT)'
	apt-get indextargets --format "$format" 'Created-By: Packages' | sed -n 's/^Debian|//p' | sort -u |
		case $RELEASE in
		bookworm) cat ;;
		# sid has no other; of bullseye-security, past its support, the mirrors have an index, but not all it lists.
		sid | bullseye) sed -n "s/ bookworm / $RELEASE /p" ;;
		*) sed -n "h;s/ bookworm\(-security\)\? / ${RELEASE%-*}\1 /p;g;s/ bookworm / $RELEASE /p" | sort -u ;;
		esac | sed 's,^deb ,deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ,'
}

# apt_update DIR KNOWS OPTION...: an apt of our own in DIR, which the OPTIONs lead to; its lists are fetched once a day, and
# again where the command KNOWS says that they lack something.
apt_update() {
	local apt=$1 knows=$2
	shift 2
	[ -n "$(debian_sources)" ] || apt-get -q update >&2
	[ -n "$(debian_sources)" ] || die "apt has no Debian sources of bookworm here"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
	# Of backports the kernel, and what comes with it, but not dkms and the compiler.
	printf 'Package: linux-*\nPin: release n=*-backports\nPin-Priority: 600\n' > "$apt/preferences"
	if [ -z "$(find "$apt/updated" -mmin -1440 2> /dev/null)" ] || ! cmp -s "$apt/sources.list" <(debian_sources) || ! "$knows" > /dev/null; then
		debian_sources > "$apt/sources.list"
		apt-get -q "$@" update >&2
		touch "$apt/updated"
	fi
}

# initramfs CPIO BUSYBOX ROOT KVER MODULE...: a small initramfs: busybox, the script that finds the root, and the modules of ROOT's
# for that in the order they load. What it is made of lies beside the archive meanwhile.
initramfs() {
	local cpio=$1 busybox=$2 root=$3 kver=$4 dir=$1.d ko name module
	shift 4
	mkdir -p "$dir"/{bin,dev,proc,root,modules}
	cp "$busybox" "$dir/bin/busybox"
	cp "$VM/guest/init" "$dir/init"
	chmod +x "$dir/init"
	for module; do
		modprobe -d "$root" -S "$kver" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$dir.order"
	while read -r ko; do
		name=$(basename "$ko")
		case $ko in
		*.xz) xz -dc "$ko" > "$dir/modules/${name%.xz}" ;;
		*) cp "$ko" "$dir/modules" ;;
		esac
		echo "${name%.xz}" >> "$dir/modules/order"
	done < "$dir.order"
	touch "$dir/modules/order"
	(cd "$dir" && find . -mindepth 1 | cpio -o -H newc --quiet) > "$cpio"
	rm -r "$dir" "$dir.order"
}

# judge NAME DIR STATUS: the verdict on a guest that left its console and its KTAP in DIR; both are shown where it failed.
judge() {
	local name=$1 dir=$2 verdict
	if verdict=$("$VM/verdict" "$dir/console" "$dir/ktap" "$3"); then
		# Where the time went, all engines, in the guest's seconds.
		sed -n 's/^ *# took //p' "$dir/ktap" | awk -v n="$name" '{ s[$1] += $2 }
			END { printf "# %s:", n; for (i in s) printf " %s %d s", i, s[i]; print "" }'
		sed "s/^\([0-9]* passed\)/$name: \1/" <<< "$verdict"
		return
	fi
	echo "# ---- $name: KTAP"
	cat "$dir/ktap"
	echo "# ---- $name: end of the console"
	tail -n 60 "$dir/console" | tr -d '\r' | sed 's/^/# /'
	echo "# ---- $name: verdict"
	sed "s/^\([0-9]* passed\)/$name: \1/" <<< "$verdict"
	return 1
}

# all_suites: what a guest runs when nobody says, one a line.
all_suites() {
	find "$VM/guest/suites" -maxdepth 1 -type f -printf '%f\n' | sort
}

# counted FILE [NAME]: what a guest's run has said ends in its count; one that has none has failed.
counted() {
	grep -q ' passed, .* failed, ' "$1" || echo "${2:-}0 passed, 1 failed, 0 skipped" >> "$1"
}

# Of lines "N passed, N failed, N skipped" the sum, which fails if anything did or nothing passed.
add_up() {
	awk '{ passed += $1; failed += $3; skipped += $5 }
		END {
			if (skipped)
				print skipped " skipped"
			print passed " passed, " failed " failed"
			exit failed > 0 || passed == 0
		}'
}
