/* Tests the source lines of return addresses, on this program itself. */
#include "trace_make.h"

#include "trace/symbol.h"

int known_variable;

static uint64_t known_line;

static __attribute__((noinline)) uint64_t caller(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static __attribute__((noinline)) uint64_t known_function(void)
{
	uint64_t pc = caller(), line = __LINE__;

	known_line = line;
	return pc;
}

static size_t read_proc(const char *path, char *to, size_t room)
{
	FILE *in = fopen(path, "r");
	size_t size = fread(to, 1, room, in);

	fclose(in);
	return size;
}

/* Makes a trace of this process: its maps, and no events. */
static struct make_dir this_process(void)
{
	static char maps[1 << 16];
	struct make_dir dir = make_dir();

	make_file(&dir, "maps", maps, read_proc("/proc/self/maps", maps, sizeof maps));
	return dir;
}

static void finds_lines(void **state)
{
	struct make_dir dir = this_process();
	struct trace *trace = make_open(&dir);
	struct trace_symbols *symbols = trace_symbols_open(trace);
	struct trace_symbol found[4];
	uint64_t pc = known_function();

	(void)state;
	assert_true(trace_symbols_find(symbols, pc, found, 4) >= 1);
	assert_string_equal(found[0].function, "known_function");
	assert_non_null(strstr(found[0].file, "trace_symbols.c"));
	assert_int_equal(found[0].line, known_line);
	assert_true(trace_symbols_find(symbols, pc, found, 1) == 1); /* from the cache */
	assert_int_equal(trace_symbols_find(symbols, 1, found, 4), 0);
	assert_int_equal(trace_symbols_find(symbols, 0, found, 4), 0);
	assert_string_equal(trace_symbols_object(symbols, (uint64_t)(uintptr_t)&known_variable),
			    "known_variable");
	assert_null(trace_symbols_object(symbols, (uint64_t)(uintptr_t)&known_variable + 1));
	assert_null(trace_symbols_object(symbols, (uint64_t)(uintptr_t)&dir));
	assert_int_equal(trace_symbols_problem_count(symbols), 0);
	trace_symbols_close(symbols);
	trace_close(trace);
	make_remove(&dir);
}

/* The program on disk differs from the recorded one. */
static void changed_program(void **state)
{
	struct make_dir dir = this_process();
	struct trace_symbols *symbols;
	struct trace_symbol found[4];
	struct trace *trace;
	char path[1024], out[2048];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path);
	struct wire_module head = { .magic = WIRE_MODULE_MAGIC, .build_id_bytes = 20 };

	(void)state;
	assert_true(length > 0 && length < 1000);
	head.path_bytes = (uint32_t)length;
	memcpy(out, &head, sizeof head);
	memcpy(out + sizeof head, path, (size_t)length);
	memset(out + sizeof head + length, 7, 20);
	make_file(&dir, "modules", out, sizeof head + (size_t)length + 20);
	trace = make_open(&dir);
	symbols = trace_symbols_open(trace);
	assert_int_equal(trace_symbols_find(symbols, known_function(), found, 4), 0);
	assert_null(trace_symbols_object(symbols, (uint64_t)(uintptr_t)&known_variable));
	assert_int_equal(trace_symbols_problem_count(symbols), 1);
	assert_non_null(strstr(trace_symbols_problem(symbols, 0), "has changed"));
	trace_symbols_close(symbols);
	trace_close(trace);
	make_remove(&dir);
}

/* A missing file is reported, and nothing else fails. */
static void gone_program(void **state)
{
	static const char maps[] = "10000-20000 r--p 00000000 00:00 1    /nowhere/lib.so\n"
				   "20000-30000 r-xp 00010000 00:00 1    /nowhere/lib.so\n"
				   "40000-50000 rw-s 00000000 00:00 1    /nowhere/data\n"
				   "not a line\n";
	struct make_dir dir = make_dir();
	struct trace_symbols *symbols;
	struct trace_symbol found[4];
	struct trace *trace;

	(void)state;
	make_file(&dir, "maps", maps, sizeof maps - 1);
	trace = make_open(&dir);
	symbols = trace_symbols_open(trace);
	assert_int_equal(trace_symbols_find(symbols, 0x20100, found, 4), 0);
	assert_int_equal(trace_symbols_problem_count(symbols), 1);
	assert_string_equal(trace_symbols_problem(symbols, 0), "/nowhere/lib.so: the file is gone");
	trace_symbols_close(symbols);
	trace_close(trace);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(changed_program),
		cmocka_unit_test(gone_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
