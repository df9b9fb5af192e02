# SPDX-License-Identifier: MIT
#
# make unit        run the unit tests; no RDMA, no root
#                  (CMOCKA_MESSAGE_OUTPUT=TAP make -s unit prints TAP)
# make loop-cost   count the instructions that the loops themselves cost

UNIT := $(BUILD)/unit
UNIT_CFLAGS = -std=gnu11 -g -O1 -fno-omit-frame-pointer -Wall -Wextra -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-iquote tests/unit -iquote tool -iquote kmod -Iuapi -MMD -MP $(UNIT_PKGS)
UNIT_PKGS := $(shell pkg-config --cflags json-c smartcols)

# What is tested, and the fake worlds of loops and commands; each test links what it names of it.
UNIT_SRCS := $(wildcard kmod/loop/*.c kmod/qp_table.c tool/hand/*.c) \
	$(addprefix tool/,address.c fault.c interrupt.c out.c parse.c space.c stats.c table.c word.c) \
	tests/unit/fake.c tests/unit/fake_backend.c
UNIT_LIBS := $(shell pkg-config --libs json-c smartcols) -lcmocka -lm
UNIT_OBJS := $(UNIT_SRCS:%.c=$(UNIT)/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(UNIT)/%,$(wildcard tests/unit/test_*.c))

unit: $(UNIT_TESTS)
	@failed=; for t in $(abspath $^); do $$t || failed="$$failed $${t##*/}"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

$(UNIT)/test_%: $(UNIT)/tests/unit/test_%.o $(UNIT)/tested.a
	$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LIBS)

$(UNIT)/tested.a: $(UNIT_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^

$(UNIT)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

# The loops with the tool's flags, in a world of its own where verbs are calls.
COST := $(BUILD)/cost
COST_OBJS := $(patsubst %.c,$(COST)/%.o,$(wildcard kmod/loop/*.c) tests/unit/loop_cost.c)

loop-cost: $(COST)/loop_cost
	tests/unit/loop-cost $<

$(COST)/loop_cost: $(COST_OBJS)
	$(CC) $(CFLAGS) -o $@ $^

$(COST)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -gdwarf-4 -iquote tests/unit/cost $(TOOL_CFLAGS) -c -o $@ $<

-include $(UNIT_OBJS:.o=.d) $(UNIT_TESTS:$(UNIT)/%=$(UNIT)/tests/unit/%.d) $(COST_OBJS:.o=.d)

.PHONY: unit loop-cost
.SECONDARY: $(UNIT_TESTS:$(UNIT)/%=$(UNIT)/tests/unit/%.o)
