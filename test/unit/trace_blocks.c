/* Tests which block of a stream counts if it exists twice, is missing, or is incomplete. */
#include "trace_make.h"

static uint8_t log0[8 * WIRE_CHUNK], ring[3 * WIRE_CHUNK], body[1024];

/* Makes a block with `count` reads of the addresses `first`, `first` + 1, … */
static uint32_t reads(uint8_t first, unsigned count)
{
	struct codec codec = { 0 };
	uint32_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += make_read(&codec, body + bytes, (uint8_t)(first + i), (uint8_t)i);
	return bytes;
}

static size_t put(size_t at, uint32_t stream, uint64_t number, uint8_t first, unsigned count)
{
	uint32_t bytes = reads(first, count);

	return at + make_block(log0 + at, stream, number, 0, body, bytes);
}

static void put_chunk(unsigned chunk, uint32_t stream, uint64_t number, uint32_t flags,
		      const uint8_t *from, uint32_t bytes)
{
	struct wire_block header = {
		.base = 0x7f0000000000,
		.cursor = 0x7f0000000000 + sizeof header + bytes,
		.magic = WIRE_BLOCK_MAGIC,
		.stream = stream,
		.number = number,
		.flags = flags,
	};

	memcpy(ring + chunk * WIRE_CHUNK, &header, sizeof header);
	memcpy(ring + chunk * WIRE_CHUNK + sizeof header, from, bytes);
}

static void put_ring(unsigned chunk, uint32_t stream, uint64_t number, uint32_t flags,
		     uint8_t first, unsigned count)
{
	put_chunk(chunk, stream, number, flags, body, reads(first, count));
}

/*
 * Returns the addresses that stream `i` reads, as a string of bytes. `err` is the error at its end.
 */
static size_t read_all(const struct trace *trace, uint32_t i, uint8_t *out, struct err *err)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	struct trace_event ev;
	size_t count = 0;

	err->text[0] = 0;
	while (trace_next(cursor, &ev, err))
		out[count++] = (uint8_t)ev.address;
	trace_cursor_close(cursor);
	return count;
}

static void expect(const struct make_dir *dir, size_t log_bytes, size_t ring_bytes,
		   const char *addresses, const char *message)
{
	uint8_t got[4096];
	struct trace *trace;
	struct err err;
	size_t count;

	make_file(dir, "events.0", log0, log_bytes);
	if (ring_bytes)
		make_file(dir, "ring", ring, ring_bytes);
	trace = make_open(dir);
	assert_int_equal(trace_stream_count(trace), 1);
	count = read_all(trace, 0, got, &err);
	assert_int_equal(count, strlen(addresses));
	assert_memory_equal(got, addresses, count);
	if (message)
		assert_non_null(strstr(err.text, message));
	else
		assert_string_equal(err.text, "");
	trace_close(trace);
	make_remove(dir);
}

static void setup(struct make_dir *dir)
{
	memset(log0, 0, sizeof log0);
	memset(ring, 0, sizeof ring);
	*dir = make_dir();
}

static void blocks_in_any_order(void **state)
{
	struct make_dir dir;
	size_t at;

	(void)state;
	setup(&dir);
	at = put(0, 3, 2, 'e', 2);
	at = put(at, 3, 0, 'a', 2);
	at = put(at, 3, 1, 'c', 2);
	expect(&dir, at, 0, "abcdef", NULL);
}

static void ring_goes_on(void **state)
{
	struct make_dir dir;
	size_t at;

	(void)state;
	setup(&dir);
	at = put(0, 3, 0, 'a', 2);
	put_ring(1, 3, 1, WIRE_BLOCK_LIVE, 'c', 3);
	put_ring(2, 3, 7, 0, 'x', 3); /* not live: left over from an earlier stream */
	expect(&dir, at, sizeof ring, "abcde", NULL);
}

static void longer_copy_wins(void **state)
{
	struct make_dir dir;
	size_t at;

	(void)state;
	setup(&dir); /* killed after writing the block and before emptying the thread buffer */
	at = put(0, 3, 0, 'a', 4);
	put_ring(0, 3, 0, WIRE_BLOCK_LIVE, 'a', 4);
	expect(&dir, at, sizeof ring, "abcd", NULL);
	/* killed after the thread buffer was emptied, before its block number was increased */
	setup(&dir);
	at = put(0, 3, 0, 'a', 4);
	put_ring(0, 3, 0, WIRE_BLOCK_LIVE, 'a', 0);
	expect(&dir, at, sizeof ring, "abcd", NULL);
	setup(&dir); /* the log has only the start of the block */
	put(0, 3, 0, 'a', 4);
	put_ring(0, 3, 0, WIRE_BLOCK_LIVE, 'a', 4);
	expect(&dir, 64 + reads('a', 1) + 4, sizeof ring, "abcd", NULL);
}

static void half_a_block(void **state)
{
	struct make_dir dir;
	size_t at;

	(void)state;
	setup(&dir);
	at = put(0, 3, 0, 'a', 2);
	put(at, 3, 1, 'c', 4);
	expect(&dir, at + 64 + reads('c', 2) + 3, 0, "abcd", NULL);
	setup(&dir); /* not even a complete header */
	at = put(0, 3, 0, 'a', 2);
	put(at, 3, 1, 'c', 4);
	expect(&dir, at + 30, 0, "ab", NULL);
}

static void hole_in_the_log(void **state)
{
	struct make_dir dir;
	size_t at, hole;

	(void)state;
	setup(&dir);
	at = put(0, 3, 0, 'a', 2);
	hole = at;
	at = put(at, 3, 1, 'c', 2);
	memset(log0 + hole, 0, at - hole);
	at = put(at, 3, 2, 'e', 2);
	put_ring(0, 3, 1, WIRE_BLOCK_LIVE, 'c', 2);
	expect(&dir, at, sizeof ring, "abcdef", NULL);
}

static void missing_block(void **state)
{
	struct make_dir dir;
	size_t at;

	(void)state;
	setup(&dir);
	at = put(0, 3, 0, 'a', 2);
	at = put(at, 3, 2, 'e', 2);
	expect(&dir, at, 0, "ab", "block 1 is missing");
}

static void bad_cursor_in_the_ring(void **state)
{
	struct make_dir dir;
	struct wire_block header;
	struct trace *trace;
	size_t at;

	(void)state;
	setup(&dir);
	at = put(0, 3, 0, 'a', 2);
	put_ring(0, 3, 1, WIRE_BLOCK_LIVE, 'c', 2);
	memcpy(&header, ring, sizeof header);
	header.cursor += WIRE_CHUNK;
	memcpy(ring, &header, sizeof header);
	make_file(&dir, "events.0", log0, at);
	make_file(&dir, "ring", ring, sizeof ring);
	trace = make_open(&dir);
	assert_int_equal(trace_problem_count(trace), 1);
	assert_non_null(strstr(trace_problem(trace, 0), "cursor"));
	trace_close(trace);
	make_remove(&dir);
}

static void not_a_trace(void **state)
{
	struct make_dir dir = make_dir();
	struct trace *trace = NULL;
	struct err err;

	(void)state;
	make_file(&dir, "meta", "sooth-trace: 99\n", 16);
	assert_false(trace_open(dir.path, &trace, &err));
	assert_non_null(strstr(err.text, "version 99"));
	make_file(&dir, "meta", "nothing\n", 8);
	assert_false(trace_open(dir.path, &trace, &err));
	assert_null(trace);
	make_remove(&dir);
	assert_false(trace_open(dir.path, &trace, &err));
}

/* hosts[i] is the stream that stream i interrupts; stream i must belong to stream owners[i]. */
static void expect_owners(const uint32_t *hosts, const uint32_t *owners, uint32_t count)
{
	struct trace_writer *w = trace_writer_open();
	struct make_dir dir = make_dir();
	struct write_record record = { .kind = EV_SYNC };
	struct trace *trace;
	uint8_t *events;
	size_t size;

	for (uint32_t i = 0; i < count; i++) {
		trace_writer_set_host(w, i, hosts[i]);
		trace_write(w, i, &record);
	}
	events = trace_writer_finish(w, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	trace = make_open(&dir);
	assert_int_equal(trace_stream_count(trace), count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(trace_stream_owner(trace, i), owners[i]);
	trace_close(trace);
	make_remove(&dir);
}

static void owners_of_handler_streams(void **state)
{
	const uint32_t none = TRACE_NONE;

	(void)state;
	/* handlers inside handlers; their streams can come before or after that of the thread */
	expect_owners((uint32_t[]){ none, 0, none, 4, 2, 3 }, (uint32_t[]){ 0, 0, 2, 2, 2, 2 }, 6);
	/* a stream that does not exist, and one that interrupts itself */
	expect_owners((uint32_t[]){ 9, 0, 2, 2 }, (uint32_t[]){ 0, 0, 2, 2 }, 4);
	/* streams 1, 2 and 3 form a cycle; 0, 4 and 5 lead into it */
	expect_owners((uint32_t[]){ 2, 2, 3, 1, 5, 3 }, (uint32_t[]){ 2, 1, 2, 3, 3, 3 }, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_in_any_order),	     cmocka_unit_test(ring_goes_on),
		cmocka_unit_test(longer_copy_wins),	     cmocka_unit_test(half_a_block),
		cmocka_unit_test(hole_in_the_log),	     cmocka_unit_test(missing_block),
		cmocka_unit_test(bad_cursor_in_the_ring),    cmocka_unit_test(not_a_trace),
		cmocka_unit_test(owners_of_handler_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
