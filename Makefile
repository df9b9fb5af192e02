# SPDX-License-Identifier: GPL-2.0
#
# make                build the module for the running kernel, and the tool
# make module KDIR=D  build the module for the kernel build tree D
# make tool           build the control tool
# make demo           boot a test kernel and print the comparison
# make calibrate      each space compared with itself, 400 times: how often does compare report a difference?
# make bench-det      instructions of every operation in both spaces, by kernel, library and kverbs, in tests/det/figures
# make fuzz           a million nearly valid messages to the module, in guests
# make teardown       runs of every kind struck by everything that ends them, in guests
# make check          run every test; make check VM="6.1:2" only on that kernel
# make matrix         run what is tested in guests on every test kernel, PREEMPT_RT too; KERNELS="6.1-rt" selects
# make check-debug    run the module's tests on a kernel with checkers (KASAN, lockdep, kmemleak…)
# make unit           unit tests; no RDMA, no root
# make install        install tool, manual pages, completion, and the module's sources for DKMS; DESTDIR, PREFIX
# make uninstall      remove what 'make install' has installed
# make deb            build Debian packages in build/deb: kverbs and kverbs-dkms
# make help           print these lines

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= build
# Where the module is built; one folder per kernel, because kbuild writes beside the sources.
O ?= $(BUILD)/module
# To kbuild O is the kernel's build tree: ours must not reach it, and an empty one makes the Makefile of
# Debian's headers forget its own.
KBUILD_O = O=$(realpath $(KDIR))

CFLAGS ?= -O2 -g
TOOL_PKGS := libnl-3.0 libnl-genl-3.0 json-c smartcols nettle
USER_PKGS := libibverbs librdmacm
EDIT_PKGS := libedit
TOOL_CFLAGS = -std=gnu11 -D_GNU_SOURCE= -Wall -Wextra -Wno-unused-parameter -Werror -iquote tool -iquote kmod -Iuapi -MMD -MP \
	$(shell pkg-config --cflags $(TOOL_PKGS) $(USER_PKGS) $(EDIT_PKGS))
# Of nettle the tool needs three functions, for which the loader would relocate all of it: a tenth of a short command.
TOOL_LIBS = $(patsubst -lnettle,-l:libnettle.a,$(shell pkg-config --libs $(TOOL_PKGS))) -lpthread -lm
USER_LIBS = $(shell pkg-config --libs $(USER_PKGS))
EDIT_LIBS = $(shell pkg-config --libs $(EDIT_PKGS))

# User space's backend and the editor of lines are loaded when they are asked for (tool/load.c). Of the
# loops one calls functions of libibverbs that are not inline.
USER_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tool/user/*.c) kmod/loop/event.c) $(BUILD)/wr/loops.o
# The loops once more, with libibverbs' extended API (tool/user/loop_wr.h): one object, of which these names are seen, with _wr behind them.
WR_NAMES := kv_loop_pick kv_loop_pick_event
WR_OBJS := $(patsubst %.c,$(BUILD)/wr/%.o,$(filter-out kmod/loop/hist.c,$(wildcard kmod/loop/*.c)))
EDIT_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tool/edit/*.c))
TOOL_OBJS := $(filter-out $(USER_OBJS) $(EDIT_OBJS),$(patsubst %.c,$(BUILD)/%.o,$(wildcard tool/*.c tool/*/*.c kmod/loop/*.c kmod/rules/*.c)))
NL_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tool/model/site.c,$(wildcard tool/kernel/*.c tool/model/*.c)) tool/sys/device.c kmod/loop/hist.c kmod/rules/buf.c)

all: module tool

module:
	@[ -f $(KDIR)/Makefile ] || { echo "make: $(KDIR) is no kernel build tree: install linux-headers-$$(uname -r), or" \
		"name a tree with KDIR=DIR; 'make tool' needs none" >&2; exit 1; }
	@mkdir -p $(O)
	@cp -au Kbuild kmod uapi $(O)/
	$(MAKE) -C $(KDIR) $(KBUILD_O) M=$(abspath $(O)) W=1 modules

tool: $(BUILD)/kverbs $(BUILD)/kverbs-user.so $(BUILD)/kverbs-edit.so

$(BUILD)/kverbs: $(TOOL_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -rdynamic -Wl,--as-needed -o $@ $^ $(TOOL_LIBS)

$(BUILD)/kverbs-user.so: $(USER_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic,-z,now -o $@ $^ $(USER_LIBS)

$(BUILD)/kverbs-edit.so: $(EDIT_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic,-z,now -o $@ $^ $(EDIT_LIBS)

$(BUILD)/wr/loops.o: $(WR_OBJS)
	$(LD) -r -o $@ $^
	objcopy $(foreach name,$(WR_NAMES),--redefine-sym $(name)=$(name)_wr -G $(name)_wr) $@

$(BUILD)/wr/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -fPIC -DKV_LOOP_WR -c -o $@ $<

$(USER_OBJS) $(EDIT_OBJS): CFLAGS += -fPIC

# A file that changes with the commit: then one object is built anew, and no other.
COMMIT = $(shell git describe --always --dirty --exclude '*' 2>/dev/null)
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@commit='$(COMMIT)'; echo "$$commit" | cmp -s - $@ || echo "$$commit" >$@
FORCE:
$(BUILD)/tool/out/commit.o: TOOL_CFLAGS += -DKVERBS_COMMIT='"$(shell cat $(BUILD)/commit)"'
$(BUILD)/tool/out/commit.o: $(BUILD)/commit

$(BUILD)/tool/%.o: tool/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

# What both spaces compile: the measured loops, with the tool's loop_env.h, and the rules that both refuse by.
$(BUILD)/kmod/%.o: kmod/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

# Programs that the tests run in the guest.
tests: $(addprefix $(BUILD)/tests/,contract policies untaken untaken.txt backend server_inv client_inv terminal tsc_khz)

# What no command may take, for the program "untaken".
$(BUILD)/tests/untaken.txt: uapi/kverbs.yaml tests/abi/spec_untaken.py tests/abi/spec.py
	@mkdir -p $(@D)
	tests/abi/spec_untaken.py >$@.new
	mv $@.new $@

$(BUILD)/tests/tsc_khz: $(BUILD)/tool/sys/clock.o $(BUILD)/tool/out/unit.o

$(BUILD)/tests/%: tests/vm/%.c $(NL_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -o $@ $^ $(TOOL_LIBS) $(USER_LIBS)

# Modules for tests in a guest: one makes verbs fail, one makes the device answer as drivers of hardware do, one
# makes mistakes. KDIR and O as for "module".
fail-verb:
	@mkdir -p $(O)
	@cp -au tests/vm/fail/. $(O)/
	$(MAKE) -C $(KDIR) $(KBUILD_O) M=$(abspath $(O)) W=1 modules

CONTRACT_OBJS := $(patsubst tests/vm/contract/%.c,$(BUILD)/tests/obj/%.o,$(wildcard tests/vm/contract/*.c))

$(BUILD)/tests/contract: $(CONTRACT_OBJS) $(NL_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)

# There a struct stands in another one without a name (struct wr).
$(BUILD)/tests/obj/%.o: tests/vm/contract/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -fms-extensions -c -o $@ $<

BACKEND_OBJS := $(patsubst tests/backend/%.c,$(BUILD)/tests/backend.d/%.o,$(wildcard tests/backend/*.c))

$(BUILD)/tests/backend: $(BACKEND_OBJS) $(filter-out $(addprefix $(BUILD)/tool/,main.o load_user.o),$(TOOL_OBJS)) $(USER_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) $(USER_LIBS)

$(BUILD)/tests/backend.d/%.o: tests/backend/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

FUZZ_OBJS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz.d/%.o,$(wildcard tests/fuzz/*.c))

# backtrace() loads libgcc_s, which a guest has only if the program names it.
$(BUILD)/tests/fuzz: $(FUZZ_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) -Wl,--no-as-needed -lgcc_s

$(BUILD)/tests/fuzz.d/%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

calibrate:
	scripts/calibrate

bench-det:
	scripts/bench-det --update

fuzz:
	scripts/fuzz

teardown:
	scripts/teardown

demo:
	scripts/demo

deb:
	scripts/deb

check:
	scripts/check

matrix:
	scripts/matrix $(KERNELS)

check-debug:
	scripts/check debug

clean:
	rm -rf $(BUILD)

# The lines at the top of this file.
help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

include scripts/install.mk
include tests/unit/unit.mk

-include $(TOOL_OBJS:.o=.d) $(USER_OBJS:.o=.d) $(WR_OBJS:.o=.d) $(EDIT_OBJS:.o=.d) $(CONTRACT_OBJS:.o=.d) $(BACKEND_OBJS:.o=.d) $(FUZZ_OBJS:.o=.d)

.PHONY: FORCE all module tool tests fail-verb calibrate bench-det fuzz teardown demo check matrix check-debug clean deb help
