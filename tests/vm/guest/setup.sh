# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Sourced by the guest's PID 1 scripts (run, demo): what an init does before anything else, and the way out.

export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
ln -s /proc/self/fd /dev/fd
mount -t tmpfs tmpfs /tmp
mount -t tracefs tracefs /sys/kernel/tracing
mount -t debugfs debugfs /sys/kernel/debug
ip link set lo up
KVER=$(uname -r)
CPUS=$(nproc)
export KVER CPUS

# The kernel's "Power down" on the console is part of the verdict: a guest that ends in any other way failed.
power_off() {
	sync
	exec busybox poweroff -f
}
