# SPDX-License-Identifier: GPL-2.0
#
# For people. The kernel's build system and DKMS read Kbuild, and never this file.

KDIR ?= /lib/modules/$(shell uname -r)/build

help:
	@echo 'make module   build allocprof.ko for KDIR (the running kernel)'
	@echo 'make demo     show it on a stock kernel in QEMU; DEMO_KERNEL=6.1 or 6.12'
	@echo 'make check    everything that is tested; KERNELS="6.1 ..." CPUS="1 2" SUITES=... narrow it'
	@echo 'make matrix   every stock kernel of every release, both engines: a table; RELEASES= FLAVOURS= KERNELS= SUITES='
	@echo 'make unit     the tables, in user space, under sanitizers'
	@echo 'make tools    the command that makes line maps; tools/build/allocprof'
	@echo 'make oracle   beside the kernel'"'"'s own profiler: every callsite compared'
	@echo 'make fuzz     libFuzzer on the reader of line maps, SECONDS=60'
	@echo 'make bench    what a hook costs, in instructions; RELEASES="bookworm bullseye sid" for more kernels'
	@echo 'make bench-peers  beside memleak, slub_debug=U and page_owner=on'
	@echo 'make bench-scale  among 10,000,000 live objects, and 20,000 callsites'
	@echo 'make bench-lines  with 2 and 8 CPUs: which cache lines the hooks write, and which of them several CPUs do'
	@echo 'make bench-memory  what it takes of RAM, beside the kernel'"'"'s own profiler, which make oracle builds'
	@echo 'make bench-macro  hackbench and stress-ng, beside the in-tree profiler: overhead in percent'
	@echo 'make torture  faults at every allocation, a thousand loads and unloads among everything that disturbs; SHORT=1: 15 minutes'
	@echo 'make arm64    cross built, on Debian'"'"'s arm64 kernels 6.1 and 6.12 in QEMU (half an hour)'
	@echo 'make sparse   W=1 and sparse, for each of KERNELS'
	@echo 'make style    checkpatch, shellcheck'
	@echo 'make deb      Debian packages, in $$ALLOCPROF_CACHE/deb or OUT=directory'
	@echo 'make clean    remove what was built in the tree'
	@echo
	@echo 'All but module and clean install what they need, as root on Debian 12. demo, check, bench, arm64 and sparse keep kernels'
	@echo 'and images in $$ALLOCPROF_CACHE (default ~/.cache/allocprof, up to 6 GB), never in the tree.'

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

demo:
	@tests/vm/demo

check:
	@tests/check

matrix:
	@tests/matrix

unit:
	@tests/needs gcc libc6-dev
	@$(MAKE) --no-print-directory -C tests/unit check

tools:
	@tests/needs gcc libc6-dev libdw-dev libelf-dev zlib1g-dev
	@$(MAKE) --no-print-directory -C tools

oracle:
	@tests/oracle/run

torture:
	@tests/torture/run

fuzz:
	@tests/fuzz/run $(SECONDS)

bench:
	@tests/bench/run

bench-peers:
	@tests/bench/run --peers

bench-scale:
	@tests/bench/run --scale

bench-lines:
	@tests/lines/run

bench-macro:
	@tests/bench/run --macro

bench-memory:
	@tests/bench/run --memory

sparse:
	@tests/vm/lint

style:
	@tests/style

deb:
	@OUT=$(OUT) packaging/build

# Without the kernel's own clean target: its headers may be gone.
clean:
	@find . -path ./.git -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name '*.o.d' -o -name 'Module.symvers' -o -name 'modules.order' -o -name '.module-common.o' -o -name have.h \) \
		-exec rm -f {} +
	@! [ -f tests/unit/Makefile ] || $(MAKE) --no-print-directory -s -C tests/unit clean
	@rm -rf tests/fuzz/build
	@! [ -f tools/Makefile ] || $(MAKE) --no-print-directory -s -C tools clean

arm64:
	@tests/arm64/run --kernel 6.1
	@tests/arm64/run --kernel 6.12

.PHONY: help module demo check matrix torture unit tools oracle fuzz bench bench-peers bench-scale bench-lines bench-macro bench-memory sparse style arm64 deb clean
