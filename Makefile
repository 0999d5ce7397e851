# make [MODE=release|debug|asan] [CC=gcc|clang] [V=1] TARGET        `make help` lists the targets
#
# Everything goes to build/MODE (build/MODE-CC for another compiler than gcc), laid out as it is
# installed: bin/sooth finds lib/sooth beside its own directory.

MODE ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
B := build/$(MODE)$(if $(filter gcc,$(CC)),,-$(notdir $(firstword $(CC))))

VERSION := 0.1.0
PREFIX ?= /usr/local

FLAGS_release := -O2 -g
FLAGS_debug := -Og -g3
FLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
ifeq ($(FLAGS_$(MODE)),)
$(error MODE is one of release, debug, asan)
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- what must be installed ---------------------------------------------------------------------

# GNU Make makes the files it includes first and then starts over, so a fresh machine has its
# compiler before the first question to it is asked. Targets that build nothing skip that.
ifneq ($(filter-out help clean deps lint format,$(or $(MAKECMDGOALS),all)),)
include build/deps.mk
endif

build/deps.mk: tools/deps
	@tools/deps build
	@mkdir -p $(@D)
	@printf 'GCC_MAJOR := %s\nPLUGIN_INCLUDE := %s/include\n' \
		"$$(gcc -dumpversion | cut -d. -f1)" "$$(gcc -print-file-name=plugin)" >$@

# Tests need more packages, and some of them the plugins of two clangs. These sets are included for
# the same reason: what is installed decides below which plugins and modules are built.
ifneq ($(filter deps all-tests unit projects exact model observe properties test test-% bench-solver \
	bench-studies,$(MAKECMDGOALS)),)
include build/deps-test.mk
endif
ifneq ($(filter deps test test-long test-compilers bench-record bench-package,$(MAKECMDGOALS)),)
include build/deps-clang.mk
endif

build/deps-test.mk build/deps-clang.mk: build/deps-%.mk: tools/deps
	@tools/deps $*
	@mkdir -p $(@D) && touch $@

build/deps-%: tools/deps
	@tools/deps $*
	@mkdir -p $(@D) && touch $@

# ---- flags --------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Werror
WARN_C := $(WARN) -Wstrict-prototypes -Wmissing-prototypes
BASE := -std=gnu17 -D_GNU_SOURCE -Isrc -MMD -MP

TOOL_CFLAGS = $(BASE) -Iinclude -I$(B)/generated $(WARN_C) $(FLAGS_$(MODE)) -DSOOTH_VERSION='"$(VERSION)"' \
	-DSOOTH_GCC='"$(GCC_MAJOR)"' $(CFLAGS)
TOOL_LIBS := -ldw -lelf -ljansson -llua5.4 -lstdc++

# The runtime lives in the user's process: never sanitised, nothing exported by accident, no call
# that the compiler made up of a loop; -fexceptions so that its cleanups run when a thread is
# cancelled; -mcx16 for 16-byte atomics. Flags that a folder needs stand with its rule below.
RUNTIME_CFLAGS = $(BASE) $(WARN_C) -O2 -g -fPIC -fvisibility=hidden -fno-builtin \
	-fno-stack-protector -fexceptions -ftls-model=initial-exec -mcx16 $(FOLDER_CFLAGS)
RUNTIME_LAYOUT := src/runtime/server/per_run.ld
RUNTIME_OWN := src/runtime/host/own_call.ld src/runtime/host/own_call.def
RUNTIME_LDFLAGS := -shared -Wl,-soname,libsooth.so -Wl,-z,defs,-z,now,-z,nodelete \
	-Wl,-T,$(RUNTIME_LAYOUT) -Wl,--dynamic-list=$(firstword $(RUNTIME_OWN)) \
	$(shell sed -n 's/^[A-Z][A-Z]*.[^,]*, \([a-z_]*\)[^a-z_].*/-Wl,--wrap=\1/p' $(lastword $(RUNTIME_OWN)))

# Z3 is an oracle for our own solver: `--solver z3` loads it from a module that is built if z3.h is
# installed (`make Z3=` leaves it out). Tests and benches link its objects directly.
Z3 := $(shell gcc -E -include z3.h -x c -o /dev/null /dev/null 2>/dev/null && echo yes)
Z3_LDFLAGS := -shared -Wl,-Bsymbolic $(if $(filter asan,$(MODE)),,-Wl,-z,defs)
ORACLE_LIBS := $(TOOL_LIBS) -lz3

# The plugin is loaded by gcc whatever compiles the tool, so g++ builds it.
PLUGIN_CXX := g++
PLUGIN_CXXFLAGS = -std=gnu++17 -O2 -g -fno-rtti -fPIC -Isrc \
	-isystem $(PLUGIN_INCLUDE) -MMD -MP -Wall -Wextra -Wno-unused-parameter -Werror

# clang's plugins are one source for all its versions: what differs stands in the sources. Whatever
# MODE is, they are the same.
LLVM := $(shell for n in 14 15 16 17 18 19; do \
	d=$$(llvm-config-$$n --includedir 2>/dev/null) && test -e $$d/clang/AST/AST.h && echo $$n; done)
LLVM_CXXFLAGS = -std=gnu++17 -O2 -g1 -fno-exceptions -fno-rtti -fPIC -Isrc -D_GNU_SOURCE \
	-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS \
	-isystem $(shell llvm-config-$1 --includedir) -MMD -MP -Wall -Wextra -Wno-unused-parameter -Werror

# ---- files --------------------------------------------------------------------------------------

LIB_SRC := $(filter-out src/cli/% src/runtime/% src/compiler/% src/order/z3/%,\
	$(wildcard src/*/*.c src/*/*/*.c))
CLI_SRC := $(wildcard src/cli/*.c)
RUNTIME_SRC := $(wildcard src/runtime/*/*.c src/runtime/*/*.S) src/event/event.c
PLUGIN_SRC := $(wildcard src/compiler/gcc/*.cc src/compiler/common/*.cc)
UNIT_SRC := $(wildcard test/unit/*.c)

# The parser of property files, from bison and flex
GRAMMAR := $(B)/generated/spec/parser.c $(B)/generated/spec/lexer.c

LIB := $(LIB_SRC:%.c=$(B)/tool/%.o) $(GRAMMAR:$(B)/generated/%.c=$(B)/tool/generated/%.o)
CLI := $(CLI_SRC:%.c=$(B)/tool/%.o)
RUNTIME := $(RUNTIME_SRC:%=$(B)/runtime/%.o)
PLUGIN := $(PLUGIN_SRC:%.cc=$(B)/plugin/%.o)
Z3_OBJ := $(patsubst %.c,$(B)/z3/%.o,$(wildcard src/order/z3/*.c))
# The module has its own copy of what it uses, so that the executable need not export anything.
Z3_MODULE_OBJ := $(Z3_OBJ) $(patsubst %.c,$(B)/z3/%.o,$(wildcard src/order/model/*.c) \
	$(addprefix src/base/,mem.c sort.c vec.c))
Z3_SO := $(if $(Z3),$(B)/lib/sooth/z3.so)
LLVM_SRC := $(wildcard src/compiler/llvm/*.cc src/compiler/common/*.cc)
LLVM_SO := $(if $(LLVM_SRC),$(LLVM:%=$(B)/lib/sooth/clang-%/sooth.so))
LLVM_OBJ := $(foreach n,$(LLVM),$(LLVM_SRC:%.cc=build/clang-$n/%.o))
UNIT := $(UNIT_SRC:test/unit/%.c=$(B)/test/unit/%)
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/tool/%.o)
SOLVER_BENCH := $(patsubst %.c,$(B)/tool/%.o,$(wildcard bench/solver*.c))
SOLVER_TEST := $(patsubst %.c,$(B)/tool/%.o,$(wildcard test/model/queries*.c) bench/solver_trace.c)

SEARCH_TEST := $(patsubst %.c,$(B)/tool/%.o,$(wildcard test/model/simulated*.c))
GRAMMAR_TEST := $(patsubst %.c,$(B)/tool/%.o,$(wildcard test/model/grammar*.c))
LATTICE_TEST := $(patsubst %.c,$(B)/tool/%.o,$(wildcard test/model/lattice*.c))

LIBSOOTH := $(B)/lib/sooth/libsooth.so
PLUGIN_SO := $(B)/lib/sooth/gcc-$(GCC_MAJOR)/sooth.so
PROPERTIES := $(addprefix $(B)/,$(wildcard share/sooth/properties/*.prop))
CXX_CONFIG := share/sooth/c++/bits/c++config.h
PRODUCT := $(B)/bin/sooth $(B)/bin/sooth-cc $(B)/bin/sooth-c++ $(LIBSOOTH) $(PLUGIN_SO) $(LLVM_SO) \
	$(Z3_SO) $(B)/include/sooth/annotate.h $(B)/include/sooth/monitor.h $(PROPERTIES) \
	$(B)/$(CXX_CONFIG)

# test/model: the brute force, which sees nothing of src/, the generator, and the checker's driver
MODEL := $(addprefix $(B)/test/model/,brute generate judge pattern_brute pattern_judge)
TESTERS := $(MODEL) $(B)/test/exact/steps $(B)/test/model/queries $(B)/test/fuzz/mutants \
	$(B)/test/fuzz/spec $(B)/test/model/simulated $(B)/test/model/lattice $(B)/test/model/grammar

# ---- targets ------------------------------------------------------------------------------------

all: $(PRODUCT) ## build the tool, its runtime and the compiler plugins

deps: ## install what building and testing need (Debian), or say what is missing
	@tools/deps build test clang

demo: all ## record a small racy program and predict what else it can do
	@demo/run $(B)

# `test/run` goes on after a failure and ends with the total. TIMES=1 tells what took how long.
test: all-tests ## all tests: what CI runs
	@test/run $(B) lint unit runtime survive transparent projects golden programs serial exact model explore properties observe

all-tests: all $(UNIT) $(TESTERS)

export TIMES

# COMPILERS="gcc clang-14" picks the compilers that programs are built with, in every target below.
export COMPILERS

test-compilers: all $(TESTERS) ## what is built by compilers, by each of them at every level of optimisation
	@LEVELS=all test/run $(B) exact projects golden programs serial explore properties

unit: all $(UNIT) ## unit tests alone (T=substring picks some; so it does below)
	@test/run $(B) unit $(T)

golden: all ## command lines against expected output
	@test/run $(B) golden $(T)

programs: all ## tiny programs at each optimisation level: built, recorded, compared
	@test/run $(B) programs $(T)

serial: all ## the same programs under control: one thread at a time, in a recorded order
	@test/run $(B) serial $(T)

runtime: all ## tests of the runtime's interposed functions
	@test/run $(B) runtime $(T)

survive: all ## kills, crowds of threads, calls of the runtime that fail
	@test/run $(B) survive $(T)

transparent: all ## programs that say what they see of the world, alone and recorded
	@test/run $(B) transparent $(T)

test-survive: all ## the same with kills at N moments and each call of the runtime failing, in each way
	@test/survive/run $(B) --count $(or $(N),1000)

projects: all ## make, autotools, CMake and meson projects built with sooth-cc
	@test/run $(B) projects $(T)

exact: all $(B)/test/exact/steps ## random programs against their traces (SOOTH_RANDOM=how many)
	@test/run $(B) exact

model: all $(MODEL) ## N random traces against brute force, the literature's traces, mutated witnesses
	@test/model/run $(B) $(or $(N),2000) $(SEED)

lint: ## layers, file sizes, formatting
	@tools/lint

format: ## clang-format in place
	clang-format -i $$(find src test demo bench -name '*.[ch]' -o -name '*.cc' 2>/dev/null)

test-queries: $(B)/test/model/queries ## N questions to the ordering solver and to Z3, from seed SEED on
	@$< --count $(or $(N),5000) --seed $(or $(SEED),1)

test-patterns: $(MODEL) ## N random patterns in random traces against all their feasible prefixes
	@test/model/patterns $(B) --count $(or $(N),10000) --seed $(or $(SEED),1)

test-lattice: $(B)/test/model/lattice $(MODEL) ## N random computations against the definitions: runs, cuts, violations, witnesses
	@$< --count $(or $(N),5000) --seed $(or $(SEED),1)
	@test/model/play $(B) $(or $(N),5000) $(or $(SEED),1)

test-grammar: $(B)/test/model/grammar ## N random attribute grammars against the definitions: trees, attributes, verdicts
	@$< --count $(or $(N),20000) --seed $(or $(SEED),1)

bench-solver: $(B)/bench/solver ## the ordering solver beside Z3 on the same windows
	@$<

test-search: $(B)/test/model/simulated ## systematic search of N random programs against all their schedules
	@$< --count $(or $(N),20000) --seed $(or $(SEED),1)

test-programs: all ## N random programs: each prediction exists among all their schedules
	@test/model/programs $(B) --count $(or $(N),520) --seed $(or $(SEED),1)

observe: all ## properties on all runs of a trace: the papers' figures, and programs
	@test/run $(B) observe $(T)
properties: all ## programs that a property is violated by in another schedule, and their fixed twins
	@test/run $(B) properties $(T)

explore: all ## small programs with a bug that they do not show: found, and their fixed twins complete
	@test/run $(B) explore $(T)

test-explore: all ## the same with 10 seeds, and natively 100 times: executions to each bug in a table
	@test/explore/run $(B) --native 100 --seeds 10 --goals $(T)

test-confirm: all ## each prediction on the test programs ends confirmed by a replay, or says why not
	@test/explore/confirm $(B) $(T)

test-mutants: all $(B)/test/fuzz/mutants $(MODEL) ## N damaged traces: a clear error or a right result
	@test/fuzz/run $(B) $(or $(N),100000) $(or $(SEED),1)

test-spec: $(B)/test/fuzz/spec ## N damaged property files: a clear message, never a crash
	@mkdir -p $(B)/test/work && cd $(B)/test/work && ../fuzz/spec $(or $(N),1000000) $(or $(SEED),1) \
		$(CURDIR)/test/properties/*.prop $(CURDIR)/share/sooth/properties/*.prop

test-long: test ## everything that takes longer than CI should
	@$(MAKE) --no-print-directory model N=20000
	@$(MAKE) --no-print-directory test-queries N=5000
	@$(MAKE) --no-print-directory test-patterns N=10000
	@$(MAKE) --no-print-directory test-lattice N=20000
	@$(MAKE) --no-print-directory test-grammar N=20000
	@$(MAKE) --no-print-directory test-search N=20000
	@$(MAKE) --no-print-directory test-programs N=520
	@$(MAKE) --no-print-directory fuzz-added N=1000
	@$(MAKE) --no-print-directory test-mutants N=100000
	@$(MAKE) --no-print-directory test-spec N=1000000
	@$(MAKE) --no-print-directory test-explore
	@test/properties/run $(B) --levels "-O0 -O1 -O3"
	@test/properties/fuzz $(B) --count 5000
	@test/properties/agree $(B)
	@$(MAKE) --no-print-directory test-confirm

bench-predict: all build/deps-bench ## `sooth check` on recordings of some ten million events
	@bench/predict $(B)

bench-paper: all ## two threads that can go wrong among forty: patterns, seconds, window (Havelund, SPIN 2000)
	@bench/paper $(B)

bench-parametric: $(B)/bench/parametric ## a property with a parameter: 1 M events, 10,000 objects, one pass
	@$<

bench-lattice: $(B)/bench/lattice ## cuts per second and bytes for each cut of a lattice, beside the goals
	@$<

bench-grammar: $(B)/bench/grammar ## events per second of both engines of grammars, beside the goals; Lua that runs away
	@$<

bench-observe: all ## how relevant events and a lattice for each object shrink that of a program
	@bench/observe $(B)

bench-explore: all $(B)/bench/explore ## controlled executions per second, beside the goals
	@$(B)/bench/explore $(B)

bench-studies: all ## GPredict's Table I: seven studies, with our solver and with Z3
	@bench/studies/run $(B) $(T)

bench-record: all build/deps-bench ## the cost of recording beside native, libtsan and helgrind
	@bench/record $(B)

bench-serial: all build/deps-bench ## what control costs beside recording without it
	@bench/serial $(B)

bench-points: all build/deps-bench ## what points of functions cost, off (instructions) and on (ns an event)
	@bench/points $(B)

bench-table: all build/deps-bench ## one global log against a log for each thread (GPredict, Table II)
	@bench/table2 $(B)

bench-package: all build/deps-bench ## Debian packages built with sooth-cc, their test-suites recorded
	@bench/package $(B)

fuzz-record: all ## N random programs against their traces, from seed SEED on
	@test/exact/fuzz $(B) --count $(or $(N),2000) --seed $(or $(SEED),$(shell date +%s))

fuzz-added: all ## N random programs beside their -O0, from seed SEED on: accesses that the optimiser adds
	@for compiler in $(or $(COMPILERS),gcc $(notdir $(patsubst %/sooth.so,%,$(wildcard $(B)/lib/sooth/clang-*/sooth.so)))); do \
		SOOTH_CC=$$compiler test/exact/added $(B) --count $(or $(N),2000) --seed $(or $(SEED),$(shell date +%s)) || exit 1; done

install: all ## PREFIX=/usr/local DESTDIR=
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/sooth/gcc-$(GCC_MAJOR)
	install $(B)/bin/sooth $(DESTDIR)$(PREFIX)/bin/sooth
	ln -sf sooth $(DESTDIR)$(PREFIX)/bin/sooth-cc
	ln -sf sooth $(DESTDIR)$(PREFIX)/bin/sooth-c++
	install -m 644 $(LIBSOOTH) $(DESTDIR)$(PREFIX)/lib/sooth/libsooth.so
	install -m 644 $(PLUGIN_SO) $(DESTDIR)$(PREFIX)/lib/sooth/gcc-$(GCC_MAJOR)/sooth.so
	$(if $(Z3_SO),install -m 644 $(Z3_SO) $(DESTDIR)$(PREFIX)/lib/sooth/z3.so)
	for n in $(LLVM); do install -d $(DESTDIR)$(PREFIX)/lib/sooth/clang-$$n && \
		install -m 644 $(B)/lib/sooth/clang-$$n/sooth.so $(DESTDIR)$(PREFIX)/lib/sooth/clang-$$n/sooth.so || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/include/sooth
	install -m 644 include/sooth/annotate.h include/sooth/monitor.h $(DESTDIR)$(PREFIX)/include/sooth
	install -d $(DESTDIR)$(PREFIX)/share/sooth/properties
	install -m 644 $(PROPERTIES) $(DESTDIR)$(PREFIX)/share/sooth/properties
	install -d $(DESTDIR)$(PREFIX)/$(dir $(CXX_CONFIG))
	install -m 644 $(CXX_CONFIG) $(DESTDIR)$(PREFIX)/$(CXX_CONFIG)

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

.PHONY: all all-tests deps demo test test-compilers unit golden programs serial runtime survive transparent projects exact model lint format \
	bench-record bench-serial bench-table bench-package bench-solver bench-predict bench-explore bench-lattice bench-grammar bench-observe bench-parametric test-queries test-search test-patterns test-lattice test-grammar \
	explore properties bench-studies test-explore test-confirm bench-paper test-programs test-mutants test-spec test-survive test-long fuzz-record fuzz-added install clean help

# ---- rules --------------------------------------------------------------------------------------

# $(call run,WHAT,TARGET,COMMAND): a line per command, or the command itself with V=1.
run = $(if $(V),,@echo "  $1	$2" && )$3

$(B)/bin/sooth: $(CLI) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(TOOL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS))

$(B)/bin/sooth-cc $(B)/bin/sooth-c++: $(B)/bin/sooth
	@ln -sf sooth $@

$(LIBSOOTH): $(RUNTIME) $(RUNTIME_LAYOUT) $(RUNTIME_OWN) | tools/vectors
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(RUNTIME_LDFLAGS) -o $@ $(RUNTIME) -ldl -lpthread)
	@tools/vectors $@

$(PROPERTIES) $(B)/$(CXX_CONFIG): $(B)/%: %
	@mkdir -p $(@D)
	@cp $< $@

$(B)/include/sooth/%.h: include/sooth/%.h
	@mkdir -p $(@D)
	@cp $< $@

$(PLUGIN_SO): $(PLUGIN)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(PLUGIN_CXX) -shared -o $@ $^)

$(B)/lib/sooth/z3.so: $(Z3_MODULE_OBJ)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(TOOL_CFLAGS) $(LDFLAGS) $(Z3_LDFLAGS) -o $@ $^ -lz3)

$(B)/z3/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call run,CC,$@,$(CC) $(TOOL_CFLAGS) -fPIC -c -o $@ $<)

# $(call llvm_rules,N): the plugin for clang N. (-MMD's files have their own list at the end.)
define llvm_rules
$(B)/lib/sooth/clang-$1/sooth.so: $(LLVM_SRC:%.cc=build/clang-$1/%.o)
	@mkdir -p $$(@D)
	$$(call run,LD,$$@,$(PLUGIN_CXX) -shared -o $$@ $$^)

# LLVM's headers are most of the work: they are read once.
build/clang-$1/llvm.h.gch: src/compiler/llvm/llvm.h Makefile
	@mkdir -p $$(@D)
	$$(call run,CXX,$$@,$(PLUGIN_CXX) $(call LLVM_CXXFLAGS,$1) -x c++-header -o $$@ $$<)

build/clang-$1/%.o: %.cc build/clang-$1/llvm.h.gch Makefile
	@mkdir -p $$(@D)
	$$(call run,CXX,$$@,$(PLUGIN_CXX) $(call LLVM_CXXFLAGS,$1) -include build/clang-$1/llvm.h -c -o $$@ $$<)
endef
$(foreach n,$(LLVM),$(eval $(call llvm_rules,$n)))

$(B)/test/unit/%: $(B)/tool/test/unit/%.o $(Z3_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(TOOL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ORACLE_LIBS) -lcmocka)

$(B)/bench/solver: $(SOLVER_BENCH)
$(B)/test/model/queries: $(SOLVER_TEST)
$(B)/test/model/judge $(B)/test/model/pattern_judge: $(B)/test/model/%: $(B)/tool/test/model/%.o
$(B)/bench/solver $(addprefix $(B)/test/model/,queries judge pattern_judge): $(Z3_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(TOOL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ORACLE_LIBS) -lm)

# Programs that are made of src/ without the oracle: of one file, or of all files with their prefix.
ONE_FILE := $(addprefix $(B)/,bench/explore bench/parametric bench/lattice bench/grammar \
	test/fuzz/mutants test/fuzz/spec test/exact/steps)
$(ONE_FILE): $(B)/%: $(B)/tool/%.o
$(B)/test/model/simulated: $(SEARCH_TEST)
$(B)/test/model/lattice: $(LATTICE_TEST)
$(B)/test/model/grammar: $(GRAMMAR_TEST)
$(ONE_FILE) $(addprefix $(B)/test/model/,simulated lattice grammar): $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) $(TOOL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS))

$(B)/test/model/brute $(B)/test/model/generate: $(B)/test/model/%: test/model/%.c Makefile \
		$(wildcard test/model/brute* test/model/generate*)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN_C) $(FLAGS_$(MODE)) $(CFLAGS) -o $@ \
		$(wildcard test/model/$**.c))

$(B)/test/model/pattern_brute: Makefile $(wildcard test/model/brute_* test/model/pattern_*)
	@mkdir -p $(@D)
	$(call run,LD,$@,$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN_C) $(FLAGS_$(MODE)) $(CFLAGS) -o $@ \
		$(addprefix test/model/,pattern_brute.c pattern_case.c brute_text.c brute_facts.c brute_rules.c))

$(B)/generated/spec/parser.c: src/spec/parser.y Makefile
	@mkdir -p $(@D)
	$(call run,BISON,$@,bison -Wall -Werror --header=$(@:.c=.h) -o $@ $<)

$(B)/generated/spec/parser.h: $(B)/generated/spec/parser.c

$(B)/generated/spec/lexer.c: src/spec/lexer.l Makefile
	@mkdir -p $(@D)
	$(call run,FLEX,$@,flex -o $@ $<)

$(LIB): | $(B)/generated/spec/parser.h

$(B)/tool/generated/%.o: $(B)/generated/%.c Makefile
	@mkdir -p $(@D)
	$(call run,CC,$@,$(CC) $(TOOL_CFLAGS) -c -o $@ $<)

$(B)/tool/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call run,CC,$@,$(CC) $(TOOL_CFLAGS) -c -o $@ $<)

# Code that runs in front of an access must not touch the vector registers, which are live there.
# (In buffer/ it is faster, too: a vector load of words that were just stored waits for all of them.)
$(filter $(B)/runtime/src/event/% $(addprefix $(B)/runtime/src/runtime/,buffer/% sched/% point/%),$(RUNTIME)): \
	FOLDER_CFLAGS := -mgeneral-regs-only

$(RUNTIME): $(B)/runtime/%.o: % Makefile
	@mkdir -p $(@D)
	$(call run,CC,$@,$(CC) $(RUNTIME_CFLAGS) -c -o $@ $<)

$(B)/plugin/%.o: %.cc Makefile
	@mkdir -p $(@D)
	$(call run,CXX,$@,$(PLUGIN_CXX) $(PLUGIN_CXXFLAGS) -c -o $@ $<)

.SECONDARY: $(UNIT_OBJ)

-include $(patsubst %.o,%.d,$(LIB) $(CLI) $(RUNTIME) $(PLUGIN) $(LLVM_OBJ) $(UNIT_OBJ) $(SOLVER_BENCH) \
	$(Z3_MODULE_OBJ) $(SOLVER_TEST) $(SEARCH_TEST) $(LATTICE_TEST) $(GRAMMAR_TEST))
