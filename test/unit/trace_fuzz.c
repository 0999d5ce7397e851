/*
 * Damaged traces: flipped bits, replaced bytes and truncated files at random must never cause a
 * crash, a hang or an error of a sanitizer. Each trace that can be opened is counted, checked,
 * dumped and exported.
 */
#include "trace_make.h"

#include "trace/check.h"
#include "trace/dump.h"
#include "trace/export.h"
#include "trace/stat.h"

#define ROUNDS 1500
#define SEG 0x555500002000ull
#define STR 0x555500001000ull

struct part {
	const char *name;
	uint8_t *bytes;
	size_t size;
};

/* ---- something rich to damage ------------------------------------------------------------- */

/* Makes a table of a few rows that use all forms. */
static size_t make_modules(uint8_t *out)
{
	static const char path[] = "/nowhere/program";
	static const char strings[] = "\0main\0counter\0main\ta.c\t12\tf\tb.c\0s.field";
	struct {
		struct wire_segment row;
		struct wire_element e[3];
	} rows[4] = { 0 };
	struct wire_module head = {
		.magic = WIRE_MODULE_MAGIC,
		.path_bytes = sizeof path - 1,
		.base = 0x555500000000,
		.end = 0x555500010000,
		.seg_address = SEG,
		.str_address = STR,
		.seg_bytes = sizeof rows,
		.str_bytes = sizeof strings,
	};
	static const uint8_t kinds[4][3] = {
		{ EV_ENTER, EV_READ, EV_WRITE },
		{ EV_READ, EV_WRITE, EV_SITE },
		{ EV_WRITE, EV_WRITE, EV_EXIT },
		{ EV_READ, EV_READ, EV_SITE },
	};

	for (unsigned i = 0; i < 4; i++) {
		rows[i].row = (struct wire_segment){ .bytes = 24, .count = 3 };
		rows[i].row.function_ref = (int32_t)(STR + 1 - (SEG + i * sizeof rows[0] + 4));
		for (unsigned k = 0; k < 3; k++) {
			uint64_t at = SEG + (uint64_t)((uint8_t *)&rows[i].e[k] - (uint8_t *)rows);

			rows[i].e[k] = (struct wire_element){
				.kind = kinds[i][k],
				.size = (uint16_t)(4 << k % 2),
				.address_form = (uint8_t)(1 + (i + k) % 3),
				.address_slot = 5,
				.value_form = (uint8_t)(k ? 1 + (i + k) % 4 : 1),
				.value_slot = 6,
				.address_at = (uint16_t)(6 * k),
				.value_at = 16,
				.line = 3,
				.value = 9,
				.address_ref = 64,
				.name_ref =
					(int32_t)(STR + 6 -
						  (at + offsetof(struct wire_element, name_ref))),
				.site_ref =
					(int32_t)(STR + 14 -
						  (at + offsetof(struct wire_element, site_ref))),
			};
			if (rows[i].e[k].value_form == WIRE_SAME)
				rows[i].e[k].size = 4;
		}
	}
	memcpy(out, &head, sizeof head);
	memcpy(out + sizeof head, path, head.path_bytes);
	memcpy(out + sizeof head + head.path_bytes, rows, sizeof rows);
	memcpy(out + sizeof head + head.path_bytes + sizeof rows, strings, sizeof strings);
	return sizeof head + head.path_bytes + sizeof rows + sizeof strings;
}

static uint8_t *make_events(struct make_random *r, size_t *size)
{
	struct trace_writer *w = trace_writer_open();
	uint8_t bytes[64];

	trace_writer_set_host(w, 2, 0);
	for (unsigned i = 1; i < 400; i++) {
		uint32_t stream = (uint32_t)make_below(r, 3);
		struct write_record record = {
			.time = i,
			.sequence = i,
			.pc = 0x555500000000 + make_below(r, 99),
			.a = 0x1000 + make_below(r, 9) * 8,
			.b = 0x1000 + make_below(r, 9) * 8,
			.n = make_below(r, 3),
			.m = make_below(r, 3),
			.bytes = bytes,
		};

		memset(bytes, (int)i, sizeof bytes);
		if (make_below(r, 2)) {
			uint32_t h = (uint32_t)(SEG + make_below(r, 4) *
							      (sizeof(struct wire_segment) +
							       3 * sizeof(struct wire_element)));
			memcpy(bytes, &h, 4);
			trace_write_raw(w, stream, bytes, 28);
			continue;
		}
		do {
			record.kind = (enum event_kind)make_below(r, EV_COUNT);
		} while (record.kind == EV_NONE || record.kind == EV_SITE);
		if (strchr(event_fields(record.kind), '*')) {
			record.n = 8;
			record.size = record.kind == EV_ATOMIC_UPDATE ? 16 : 8;
		}
		trace_write(w, stream, &record);
	}
	return trace_writer_finish(w, size);
}

/* Makes a ring that has the last block of stream 1 once more. */
static size_t make_ring(uint8_t *ring, const uint8_t *events, size_t size)
{
	struct wire_block header;

	for (size_t at = 0; at + sizeof header <= size; at += wire_block_room(header.bytes)) {
		memcpy(&header, events + at, sizeof header);
		if (header.stream != 1)
			continue;
		memcpy(ring, events + at, wire_block_room(header.bytes));
		header.base = 0x1000;
		header.cursor = header.base + sizeof header + header.bytes;
		header.flags = WIRE_BLOCK_LIVE;
		memcpy(ring, &header, sizeof header);
	}
	return WIRE_CHUNK;
}

/* ---- damage ------------------------------------------------------------------------------- */

static void damage(struct make_random *r, struct part *part)
{
	for (uint64_t n = 1 + make_below(r, 4); n-- > 0 && part->size;) {
		size_t at = make_below(r, part->size);

		switch (make_below(r, 5)) {
		case 0:
		case 1: part->bytes[at] ^= (uint8_t)(1u << make_below(r, 8)); break;
		case 2: part->bytes[at] = (uint8_t)make_random(r); break;
		case 3:
			memset(part->bytes + at, make_below(r, 2) ? 0xff : 0,
			       make_below(r, part->size - at < 64 ? part->size - at : 64));
			break;
		case 4:
			if (!make_below(r, 4))
				part->size = at;
			break;
		}
	}
}

/* Does everything that can be done with a trace. Returns false if it could not even be opened. */
static bool use(const char *path, bool whole, FILE *nowhere)
{
	struct dump_range range = { .stream = TRACE_NONE, .to = UINT64_MAX };
	struct check_report report;
	struct trace_stat stat;
	struct trace *trace;
	struct err err;

	if (!trace_open(path, &trace, &err))
		return false;
	trace_count(trace, &stat);
	if (whole) {
		assert_int_equal(trace_problem_count(trace), 0);
		assert_int_equal(stat.failures.count, 0);
	}
	trace_stat_free(&stat);
	trace_check(trace, &report);
	check_report_free(&report);
	export_text(trace, nowhere, &err);
	dump_events(trace, &range, nowhere, &err);
	trace_close(trace);
	return true;
}

static void damaged_directory(void **state)
{
	static uint8_t modules[8192], ring[2 * WIRE_CHUNK];
	static const char names[] =
		"thread\t0\tmain\nobject\t1000\tx\nplace\t1\ta.c:3\ninit\t1000\t2\t0102\n";
	static const char maps[] =
		"555500000000-555500001000 r-xp 00000000 00:00 1 /nowhere/program\n";
	struct make_random r = { 42 };
	FILE *nowhere = fopen("/dev/null", "w");
	unsigned opened = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct make_dir dir = make_dir();
		size_t events_size;
		uint8_t *events = make_events(&r, &events_size);
		char names_copy[sizeof names], meta[] = MAKE_META;
		struct part parts[] = {
			{ "events.0", events, events_size },
			{ "modules", modules, make_modules(modules) },
			{ "ring", ring, make_ring(ring, events, events_size) },
			{ "names", (uint8_t *)memcpy(names_copy, names, sizeof names),
			  sizeof names - 1 },
			{ "meta", (uint8_t *)meta, sizeof meta - 1 },
		};
		size_t count = round % 8 ? 3 : 5; /* most of the damage is in the large files */

		if (round)
			damage(&r, &parts[make_below(&r, count)]);
		for (size_t i = 0; i < 5; i++) {
			if (i != 3 || round % 4 == 0)
				make_file(&dir, parts[i].name, parts[i].bytes, parts[i].size);
		}
		make_file(&dir, "maps", maps, sizeof maps - 1);
		opened += use(dir.path, round == 0, nowhere);
		free(events);
		make_remove(&dir);
	}
	fclose(nowhere);
	assert_true(opened > ROUNDS * 9 / 10); /* damaged events do not prevent opening the trace */
}

static void damaged_text(void **state)
{
	struct make_random r = { 7 };
	const char *test = getenv("SOOTH_TEST");
	FILE *nowhere = fopen("/dev/null", "w");
	struct file_view view;
	struct err err;
	char path[1024];

	(void)state;
	snprintf(path, sizeof path, "%s/traces/everything.std", test ? test : "test");
	if (!file_map(path, &view, &err))
		fail_msg("%s", err.text);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct make_dir dir = make_dir();
		struct part part = { "text.std", malloc(view.size), view.size };

		memcpy(part.bytes, view.data, view.size);
		damage(&r, &part);
		make_file(&dir, part.name, part.bytes, part.size);
		snprintf(path, sizeof path, "%s/text.std", dir.path);
		use(path, false, nowhere);
		free(part.bytes);
		make_remove(&dir);
	}
	file_unmap(&view);
	fclose(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_directory),
		cmocka_unit_test(damaged_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
