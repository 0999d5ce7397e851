#include "monitor/computation/survey.h"

#include "base/mem.h"
#include "monitor/computation/survey_locks.h"
#include "trace/order.h"

#include <stdlib.h>

/* A read that found another value than the last write left: it counts if the byte is shared. */
struct odd_read {
	uint64_t place, address;
};
/* A stretch of memory begins or ends to live. */
struct life {
	uint32_t lane;
	uint64_t low, high;
};

struct surveyor {
	struct survey *survey;
	struct survey_lives lives;
	struct survey_unseen *unseen;
	VEC(struct odd_read) odd;
	VEC(struct life) spans, mapped;
	uint64_t place;
	bool is_text;
};

/* No program accesses more at once; a damaged trace can say anything. */
#define ACCESS_MAX (1ull << 32)
#define WORD 8u
#define TEXT_BLOCK (1u << 16) /* names of a text are that far apart */

bool survey_is_access(const struct trace_event *event)
{
	switch (event->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE:
	case EV_ATOMIC_UPDATE:
		return event->size && event->size <= ACCESS_MAX &&
		       event->size - 1 <= UINT64_MAX - event->address;
	}
	return false;
}

/* ---- lives ------------------------------------------------------------------------------------ */

void survey_lives_open(struct survey_lives *lives, uint32_t lanes)
{
	*lives = (struct survey_lives){ 0 };
	lives->stacks = mem_zalloc(2 * (size_t)lanes + 1, sizeof *lives->stacks);
}

void survey_lives_close(struct survey_lives *lives)
{
	map_free(&lives->blocks);
	free(lives->stacks);
}

bool survey_lives_range(struct survey_lives *lives, const struct trace_event *event, uint32_t lane,
			uint64_t *low, uint64_t *high)
{
	uint64_t *stack = &lives->stacks[2 * (size_t)lane], *block;

	switch (event->kind) {
	case EV_ALLOC:
		*map_put(&lives->blocks, event->address, NULL) = event->size + 1;
		*low = event->address;
		*high = event->address + (event->size ? event->size : 1);
		return *low < *high;
	case EV_FREE:
		block = map_get(&lives->blocks, event->address);
		*low = event->address;
		*high = event->address + (block && *block > 1 ? *block - 1 : 1);
		if (block)
			*block = 0;
		return *low && *low < *high;
	case EV_MAP:
	case EV_UNMAP:
	case EV_FD_OPEN:
	case EV_FD_CLOSE:
		*low = event->address;
		*high = event->address + event->size;
		return *low < *high;
	case EV_BEGIN:
		stack[0] = event->address;
		stack[1] = event->other;
		/* fall through */
	case EV_END:
		*low = stack[0];
		*high = stack[1];
		return *low < *high;
	}
	return false;
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static struct survey_byte *byte_at(struct surveyor *s, uint64_t address)
{
	void *fresh;
	struct survey_byte *byte = pages_put(&s->survey->bytes, address, &fresh);

	/* A text's variables are 0 at the start; nothing is known of a program's. */
	for (unsigned i = 0; fresh && s->is_text && i < PAGES_ITEMS; i++)
		((struct survey_byte *)fresh)[i].bits = SURVEY_KNOWN;
	return byte;
}

static void use_byte(struct survey_byte *byte, uint32_t lane)
{
	uint16_t number = lane < UINT16_MAX - 1 ? (uint16_t)(lane + 1) : UINT16_MAX;

	if (!byte->lane)
		byte->lane = number;
	else if (byte->lane != number || number == UINT16_MAX)
		byte->bits |= SURVEY_SEVERAL;
}

static void read_byte(struct surveyor *s, struct survey_byte *byte, uint64_t address, uint8_t value)
{
	if ((byte->bits & SURVEY_KNOWN) && byte->value != value)
		*vec_push(&s->odd) = (struct odd_read){ s->place, address };
	byte->bits |= SURVEY_KNOWN;
	byte->value = value;
}

static void write_byte(struct survey_byte *byte, const uint8_t *value)
{
	byte->bits |= SURVEY_WRITTEN | SURVEY_KNOWN;
	if (value)
		byte->value = *value;
	else
		byte->bits &= (uint8_t)~SURVEY_KNOWN;
}

/* A value that was read next to the access, not by it, counts as not recorded. */
static void see_access(struct surveyor *s, const struct trace_event *ev, uint32_t lane)
{
	bool reads = ev->kind != EV_WRITE && ev->kind != EV_ATOMIC_WRITE;
	bool writes = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	bool exact = ev->unit && ev->value && !(ev->flags & EF_INEXACT);
	const uint8_t *value = exact ? ev->value : NULL;
	const uint8_t *found = ev->kind == EV_ATOMIC_UPDATE ? (exact ? ev->old : NULL) : value;

	for (uint64_t i = 0; i < ev->size; i++) {
		struct survey_byte *byte = byte_at(s, ev->address + i);

		use_byte(byte, lane);
		if (!i)
			byte->bits |= SURVEY_BORDER;
		if (ev->flags & EF_ENVIRONMENT)
			byte->bits |= SURVEY_FROZEN;
		if (reads && found)
			read_byte(s, byte, ev->address + i, found[i % ev->unit]);
		if (writes)
			write_byte(byte, value ? &value[i % ev->unit] : NULL);
	}
	byte_at(s, ev->address + ev->size)->bits |= SURVEY_BORDER;
}

static void forget_value(void *context, uint64_t number, void *item)
{
	struct survey_byte *byte = item;

	(void)context, (void)number;
	byte->bits &= (uint8_t)~SURVEY_KNOWN;
}

/* ---- what happens ----------------------------------------------------------------------------- */

struct survey_object *survey_object(struct survey *survey, enum survey_class class,
				    uint64_t address)
{
	bool fresh;
	uint64_t *position = map_put(&survey->index[class], address, &fresh);

	if (fresh) {
		*vec_push(&survey->objects) = (struct survey_object){ .address = address,
								      .class = (uint8_t) class,
								      .number = SURVEY_NONE };
		*position = survey->objects.count;
	}
	return &survey->objects.items[*position - 1];
}

static void use_object(struct survey_object *object, uint32_t lane)
{
	if (!object->lane)
		object->lane = lane + 1;
	else
		object->several |= object->lane != lane + 1;
}

static void see_life(struct surveyor *s, const struct trace_event *ev, uint32_t lane)
{
	uint64_t low, high;

	if (!survey_lives_range(&s->lives, ev, lane, &low, &high))
		return;
	*vec_push(&s->spans) = (struct life){ lane, low, high };
	if (ev->kind == EV_MAP)
		*vec_push(&s->mapped) = (struct life){ lane, low, high };
	if (ev->kind == EV_ALLOC || ev->kind == EV_MAP) {
		for (uint64_t at = low; s->is_text && at < high && at - low < TEXT_BLOCK; at++)
			byte_at(s, at); /* so that it is not 0 when it is first read */
		pages_each(&s->survey->bytes, low, high, forget_value, NULL);
	}
}

static void see_note(struct surveyor *s, const struct trace_event *ev)
{
	if (ev->kind == EV_STOP)
		s->survey->stopped = true;
	else if (ev->kind == EV_PROCESS && ev->mode == EVENT_PROCESS_ABORT)
		s->survey->aborted = true;
}

static void see(struct surveyor *s, const struct trace_event *ev, uint32_t lane)
{
	struct survey *survey = s->survey;
	uint32_t other;

	switch (event_group(ev->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC:
		if (survey_is_access(ev))
			see_access(s, ev, lane);
		break;
	case EG_MEMORY:
		see_life(s, ev, lane);
		if (ev->kind == EV_FD_USE)
			use_object(survey_object(survey, SURVEY_DESCRIPTOR, ev->address), lane);
		break;
	case EG_THREAD:
		other = ev->number < TRACE_NONE
				? trace_find_stream(survey->trace, (uint32_t)ev->number)
				: TRACE_NONE;
		if (ev->kind == EV_CREATE && other != TRACE_NONE)
			survey->created[survey->lane_of[other]] = true;
		see_life(s, ev, lane);
		break;
	case EG_LOCK:
	case EG_CONDITION:
		survey_locks_see(survey, ev, lane);
		if (event_group(ev->kind) == EG_CONDITION)
			use_object(survey_object(survey, SURVEY_CONDITION, ev->address), lane);
		break;
	case EG_SEMAPHORE:
		use_object(survey_object(survey, SURVEY_SEMAPHORE, ev->address), lane);
		break;
	case EG_BARRIER:
		use_object(survey_object(survey, SURVEY_BARRIER, ev->address), lane);
		break;
	case EG_ONCE: use_object(survey_object(survey, SURVEY_ONCE, ev->address), lane); break;
	case EG_CHANNEL:
		use_object(survey_object(survey, SURVEY_CHANNEL, ev->address), lane);
		break;
	default: break;
	}
}

/* ---- what comes of it ------------------------------------------------------------------------- */

static void live_byte(void *context, uint64_t number, void *item)
{
	const struct life *life = context;
	struct survey_byte *byte = item;

	if (number == life->low || number == life->high)
		byte->bits |= SURVEY_BORDER;
	if (!byte->lane || number == life->high)
		return;
	use_byte(byte, life->lane);
	byte->bits |= SURVEY_LIVED;
}

static int compare_objects(const void *left, const void *right)
{
	const struct survey_object *a = left, *b = right;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void sort_objects(struct survey *survey)
{
	if (survey->objects.count)
		qsort(survey->objects.items, survey->objects.count, sizeof *survey->objects.items,
		      compare_objects);
	for (size_t i = 0; i < survey->objects.count; i++) {
		const struct survey_object *object = &survey->objects.items[i];

		*map_put(&survey->index[object->class], object->address, NULL) = i + 1;
	}
}

size_t survey_first_object(const struct survey *survey, enum survey_class class, uint64_t address)
{
	struct survey_object wanted = { .class = (uint8_t) class, .address = address };
	size_t low = 0, high = survey->objects.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_objects(&survey->objects.items[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An operation on an object counts as an access of its first byte. */
static void live_objects(struct survey *survey, const struct life *life)
{
	for (enum survey_class class = 0; class < SURVEY_BLOCK; class ++) {
		for (size_t i = survey_first_object(survey, class, life->low);
		     i < survey->objects.count && survey->objects.items[i].class == class &&
		     survey->objects.items[i].address < life->high;
		     i++)
			use_object(&survey->objects.items[i], life->lane);
	}
}

/* As the checker has it: a word that several threads use, or that is nobody's own. */
static bool is_judged_word(const struct surveyor *s, uint64_t address)
{
	uint64_t first = address / WORD * WORD;
	uint16_t lane = 0;
	uint8_t bits = 0;

	for (unsigned i = 0; i < WORD; i++) {
		const struct survey_byte *byte = pages_get(&s->survey->bytes, first + i);

		if (!byte || !byte->lane)
			continue;
		bits |= byte->bits;
		if (lane && byte->lane != lane)
			bits |= SURVEY_SEVERAL;
		lane = byte->lane;
	}
	for (size_t i = 0; i < s->mapped.count; i++) {
		if (s->mapped.items[i].low < first + WORD && s->mapped.items[i].high > first)
			return true;
	}
	return (bits & SURVEY_SEVERAL) || trace_is_static(s->survey->trace, first);
}

static void judge_odd_reads(struct surveyor *s)
{
	for (size_t i = 0; i < s->odd.count; i++) {
		uint64_t address = s->odd.items[i].address;

		if (!s->is_text && !is_judged_word(s, address))
			continue;
		((struct survey_byte *)pages_get(&s->survey->bytes, address))->bits |=
			SURVEY_FROZEN;
		map_put(&s->survey->unexplained, s->odd.items[i].place, NULL);
	}
}

static void number_cells(struct survey *survey)
{
	for (size_t p = 0; p < survey->bytes.pages.count; p++) {
		struct survey_byte *bytes = (struct survey_byte *)survey->bytes.pages.items[p];

		for (unsigned i = 0; i < PAGES_ITEMS; i++) {
			struct survey_byte *byte = &bytes[i];
			bool goes_on = i && byte[-1].cell && !(byte->bits & SURVEY_BORDER) &&
				       !((byte->bits ^ byte[-1].bits) & SURVEY_FROZEN);

			if (byte->lane && (byte->bits & SURVEY_SEVERAL) &&
			    (byte->bits & (SURVEY_WRITTEN | SURVEY_LIVED | SURVEY_FROZEN)))
				byte->cell = goes_on ? byte[-1].cell : ++survey->cells;
		}
	}
}

static int compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/*
 * Memory between two neighbouring borders of lives is an object: each life that covers it is an
 * operation on it. So lives that overlap keep their order, and others do not.
 */
static void add_blocks(struct surveyor *s)
{
	VEC(uint64_t) borders = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < s->spans.count; i++) {
		*vec_push(&borders) = s->spans.items[i].low;
		*vec_push(&borders) = s->spans.items[i].high;
	}
	if (borders.count)
		qsort(borders.items, borders.count, sizeof *borders.items, compare_addresses);
	for (size_t i = 0; i < borders.count; i++) {
		if (!kept || borders.items[kept - 1] != borders.items[i])
			borders.items[kept++] = borders.items[i];
	}
	for (size_t i = 0; i < s->spans.count; i++) {
		const struct life *life = &s->spans.items[i];
		const uint64_t *at =
			bsearch(&life->low, borders.items, kept, sizeof *at, compare_addresses);

		for (; *at < life->high; at++)
			use_object(survey_object(s->survey, SURVEY_BLOCK, *at), life->lane);
	}
	vec_free(&borders);
}

static void finish(struct surveyor *s)
{
	struct survey *survey = s->survey;

	judge_odd_reads(s);
	add_blocks(s);
	sort_objects(survey);
	for (size_t i = 0; i < s->spans.count; i++) {
		struct life *life = &s->spans.items[i];

		live_objects(survey, life);
		pages_each(&survey->bytes, life->low, life->high + 1, live_byte, life);
	}
	number_cells(survey);
	survey->numbers = survey->cells;
	for (size_t i = 0; i < survey->objects.count; i++) {
		if (survey->objects.items[i].several)
			survey->objects.items[i].number = survey->numbers++;
	}
}

/* ------------------------------------------------------------------------------------------------ */

/* Streams of signal handlers belong to the thread that they interrupt. */
static void map_lanes(struct survey *survey)
{
	uint32_t count = survey->lanes;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t lane = i;

		for (uint32_t left = count; left > 0; left--) {
			uint32_t host = trace_stream(survey->trace, lane)->host;
			uint32_t next = host == TRACE_NONE ? TRACE_NONE
							   : trace_find_stream(survey->trace, host);

			if (next == TRACE_NONE)
				break;
			lane = next;
		}
		survey->lane_of[i] = lane;
	}
}

static void learn_initial_values(struct surveyor *s)
{
	for (size_t i = 0; i < trace_initial_count(s->survey->trace); i++) {
		struct trace_initial initial = trace_initial(s->survey->trace, i);

		for (uint32_t k = 0; k < initial.size; k++) {
			struct survey_byte *byte = byte_at(s, initial.address + k);

			byte->bits |= SURVEY_KNOWN;
			byte->value = initial.value[k];
		}
	}
}

void survey_make(const struct trace *trace, struct survey *survey)
{
	struct surveyor s = { .survey = survey, .is_text = trace_is_text(trace) };
	struct trace_order *order = trace_order_open(trace);
	uint32_t count = trace_stream_count(trace);
	struct trace_event event;

	*survey = (struct survey){ .trace = trace, .lanes = count };
	survey->bytes.size = sizeof(struct survey_byte);
	survey->lane_of = mem_zalloc((size_t)count + 1, sizeof *survey->lane_of);
	survey->created = mem_zalloc((size_t)count + 1, sizeof *survey->created);
	survey->waited = mem_zalloc((size_t)count + 1, sizeof *survey->waited);
	map_lanes(survey);
	survey_lives_open(&s.lives, count);
	s.unseen = survey_unseen_open(count);
	learn_initial_values(&s);
	for (; trace_order_next(order, &event); s.place++) {
		survey->forced |= trace_order_was_forced(order);
		if (event.index == TRACE_NO_INDEX) {
			see_note(&s, &event);
			continue;
		}
		uint32_t lane = survey->lane_of[trace_find_stream(trace, event.stream)];
		see(&s, &event, lane);
		survey_unseen_see(s.unseen, survey, &event, lane);
	}
	survey_unseen_close(s.unseen);
	survey->stopped |= trace_order_failure_count(order) > 0;
	trace_order_close(order);
	finish(&s);
	survey_lives_close(&s.lives);
	vec_free(&s.odd);
	vec_free(&s.mapped);
	vec_free(&s.spans);
}

void survey_free(struct survey *survey)
{
	for (size_t i = 0; i < survey->objects.count; i++)
		vec_free(&survey->objects.items[i].readers);
	vec_free(&survey->objects);
	for (unsigned i = 0; i < SURVEY_CLASSES; i++)
		map_free(&survey->index[i]);
	map_free(&survey->unexplained);
	pages_free(&survey->bytes);
	free(survey->lane_of);
	free(survey->created);
	free(survey->waited);
}
