# SPDX-License-Identifier: MIT
#
# make unit        run the unit tests; no RDMA, no root
#                  (CMOCKA_MESSAGE_OUTPUT=TAP make -s unit prints TAP)
# make fuzz-serve  100000 random and mutated messages for what 'kverbs serve' runs
# make fuzz-real   build that for a guest, with real backends
# make loop-cost   count the instructions that the loops themselves cost

UNIT := $(BUILD)/unit
SANITIZE := -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS = -std=gnu11 -D_GNU_SOURCE= $(SANITIZE) -Wall -Wextra -Wno-unused-parameter -Werror \
	-iquote tests/unit -iquote tests -iquote tool -iquote kmod -Iuapi -MMD -MP $(UNIT_PKGS)
UNIT_PKGS := $(shell pkg-config --cflags json-c smartcols nettle libnl-3.0)

# The tested sources, and the fake worlds of loops and commands; each test links those that it names.
UNIT_SRCS := $(filter-out tool/batch/names.c,$(wildcard kmod/loop/*.c kmod/rules/*.c tool/cli/*.c tool/endpoint/*.c tool/file/*.c tool/batch/*.c tool/object/*.c tool/model/*.c tool/remote/*.c tool/serve/*.c tool/doctor/*.c)) \
	$(addprefix tool/,cm/conn.c kernel/fields.c measure/cluster.c measure/contrast.c measure/hosts.c measure/knee_rates.c measure/knee_sizes.c measure/listing.c measure/pair.c measure/points.c measure/report.c measure/retries.c measure/stats.c measure/tables.c measure/workload.c out/devices.c out/json.c out/out.c out/prose.c out/stages.c out/table.c out/unit.c sys/capture.c sys/cpu.c sys/temp.c user/obj_table.c) \
	tests/unit/fake.c tests/unit/fake_backend.c tests/unit/fake_conn.c tests/unit/fake_names.c tests/unit/fake_run.c tests/unit/fake_server.c \
	tests/backend/content.c tests/backend/lists.c
UNIT_LIBS := $(shell pkg-config --libs json-c smartcols nettle libnl-3.0) -lcmocka -lm
UNIT_OBJS := $(UNIT_SRCS:%.c=$(UNIT)/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(UNIT)/%,$(wildcard tests/unit/test_*.c))

unit: $(UNIT_TESTS)
	@failed=; for t in $(abspath $^); do $$t || failed="$$failed $${t##*/}"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

$(UNIT)/test_%: $(UNIT)/tests/unit/test_%.o $(UNIT)/tested.a
	$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LIBS)

# The loops of libibverbs' extended API, in the tool's environment.
API := $(UNIT)/tests/unit/test_api.o $(UNIT)/tool/user/put.o
$(API): UNIT_CFLAGS += -DKV_LOOP_WR -include tool/loop_env.h -DKV_TESTS_LOOP_ENV_H
$(UNIT)/test_api: UNIT_LIBS += $(USER_LIBS)
$(UNIT)/test_api: $(UNIT)/tool/user/put.o $(BUILD)/wr/loops.o

fuzz-serve: $(UNIT)/fuzz_serve
	$(abspath $<) $(FUZZ)

$(UNIT)/fuzz_%: $(UNIT)/tests/unit/fuzz_%.o $(UNIT)/tested.a
	$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LIBS)

$(UNIT)/tested.a: $(UNIT_OBJS)
	@rm -f $@
	$(AR) qcs $@ $^

$(UNIT)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

# The same on the tool's own backends, for a guest: tests/vm/58-serve.sh.
REAL := $(BUILD)/real
REAL_OBJS := $(patsubst %.c,$(REAL)/%.o,$(filter-out tool/main.c tool/load_user.c tool/edit/%,$(wildcard tool/*.c tool/*/*.c)) \
	$(wildcard kmod/loop/*.c kmod/rules/*.c) $(addprefix tests/unit/,fuzz_serve.c fuzz_real.c fake_server.c))

fuzz-real: $(REAL)/fuzz_serve

$(REAL)/fuzz_serve: $(REAL_OBJS) $(BUILD)/wr/loops.o
	$(CC) $(REAL_CFLAGS) -o $@ $^ $(TOOL_LIBS) $(USER_LIBS)

REAL_CFLAGS = $(SANITIZE) $(TOOL_CFLAGS)

$(REAL)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	$(CC) $(REAL_CFLAGS) -c -o $@ $<

# The loops with the tool's flags, in a world of its own where verbs are calls.
COST := $(BUILD)/cost
# The loop of events calls functions of libibverbs.
COST_OBJS := $(patsubst %.c,$(COST)/%.o,$(filter-out kmod/loop/event.c,$(wildcard kmod/loop/*.c)) tests/unit/loop_cost.c)

loop-cost: $(COST)/loop_cost
	tests/unit/loop-cost $<

$(COST)/loop_cost: $(COST_OBJS)
	$(CC) $(CFLAGS) -o $@ $^

$(COST)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -gdwarf-4 -iquote tests/unit/cost $(TOOL_CFLAGS) -c -o $@ $<

-include $(UNIT_OBJS:.o=.d) $(UNIT_TESTS:$(UNIT)/%=$(UNIT)/tests/unit/%.d) $(UNIT)/tests/unit/fuzz_serve.d $(REAL_OBJS:.o=.d) $(COST_OBJS:.o=.d)

.PHONY: unit fuzz-serve fuzz-real loop-cost
.SECONDARY: $(UNIT_TESTS:$(UNIT)/%=$(UNIT)/tests/unit/%.o)
