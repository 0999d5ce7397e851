/*
 * The first pass over a trace (survey.h): notes for each byte and object which threads use it,
 * follows values to find reads that no recorded write explains, and numbers the cells and objects
 * that matter.
 */
#include "monitor/computation/survey.h"

#include "base/mem.h"
#include "base/sort.h"
#include "trace/order.h"

#include <stdlib.h>

/* A read that saw another value than the last write left. It matters only if the byte is shared. */
struct unexplained_read {
	uint64_t position, address;
};
/* A range of memory whose lifetime begins or ends. */
struct lifetime_range {
	uint32_t thread;
	uint64_t low, high;
};

struct surveyor {
	struct survey *survey;
	struct survey_lifetimes lifetimes;
	struct survey_unexplained *unseen;
	VEC(struct unexplained_read) unexplained_reads;
	VEC(struct lifetime_range) lifetime_ranges, mapped;
	uint64_t position;
	bool is_text;
};

/* No program accesses more at once. A corrupt trace may contain any size. */
#define ACCESS_MAX (1ull << 32)
#define WORD 8u
#define TEXT_BLOCK (1u << 16) /* addresses of names in a text trace are this far apart */

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

/* ---- lifetimes ------------------------------------------------------------------------------- */

void survey_lifetimes_open(struct survey_lifetimes *lifetimes, uint32_t threads)
{
	*lifetimes = (struct survey_lifetimes){ 0 };
	lifetimes->stacks = mem_zalloc(2 * (size_t)threads + 1, sizeof *lifetimes->stacks);
}

void survey_lifetimes_close(struct survey_lifetimes *lifetimes)
{
	map_free(&lifetimes->blocks);
	free(lifetimes->stacks);
}

bool survey_lifetimes_range(struct survey_lifetimes *lifetimes, const struct trace_event *event,
			    uint32_t thread, uint64_t *low, uint64_t *high)
{
	uint64_t *stack = &lifetimes->stacks[2 * (size_t)thread], *block;

	switch (event->kind) {
	case EV_ALLOC:
		*map_put(&lifetimes->blocks, event->address, NULL) = event->size + 1;
		*low = event->address;
		*high = event->address + (event->size ? event->size : 1);
		return *low < *high;
	case EV_FREE:
		block = map_get(&lifetimes->blocks, event->address);
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

/* ---- bytes ----------------------------------------------------------------------------------- */

static struct survey_byte *byte_at(struct surveyor *s, uint64_t address)
{
	void *fresh;
	struct survey_byte *byte = pages_put(&s->survey->bytes, address, &fresh);

	/* A text trace's variables are 0 at the start. Nothing is known about a program's. */
	for (unsigned i = 0; fresh && s->is_text && i < PAGES_ITEMS; i++)
		((struct survey_byte *)fresh)[i].bits = SURVEY_KNOWN;
	return byte;
}

/*
 * Can these numbers of survey_byte.thread mean two threads? The last number is that of all threads
 * that have no number of their own.
 */
static bool may_be_two_threads(uint16_t a, uint16_t b)
{
	return a != b || a == UINT16_MAX;
}

static void use_byte(struct survey_byte *byte, uint32_t thread)
{
	uint16_t number = thread < UINT16_MAX - 1 ? (uint16_t)(thread + 1) : UINT16_MAX;

	if (!byte->thread)
		byte->thread = number;
	else if (may_be_two_threads(byte->thread, number))
		byte->bits |= SURVEY_SEVERAL;
}

static void read_byte(struct surveyor *s, struct survey_byte *byte, uint64_t address, uint8_t value)
{
	if ((byte->bits & SURVEY_KNOWN) && byte->value != value)
		*vec_push(&s->unexplained_reads) =
			(struct unexplained_read){ s->position, address };
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

/* A value that was read separately from the access (EF_INEXACT) counts as not recorded. */
static void survey_access(struct surveyor *s, const struct trace_event *ev, uint32_t thread)
{
	bool reads = ev->kind != EV_WRITE && ev->kind != EV_ATOMIC_WRITE;
	bool writes = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	bool exact = ev->unit && ev->value && !(ev->flags & EF_INEXACT);
	const uint8_t *value = exact ? ev->value : NULL;
	const uint8_t *found = ev->kind == EV_ATOMIC_UPDATE ? (exact ? ev->old : NULL) : value;

	for (uint64_t i = 0; i < ev->size; i++) {
		struct survey_byte *byte = byte_at(s, ev->address + i);

		use_byte(byte, thread);
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

/* ---- events ---------------------------------------------------------------------------------- */

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

static void use_object(struct survey_object *object, uint32_t thread)
{
	if (!object->thread)
		object->thread = thread + 1;
	else
		object->several |= object->thread != thread + 1;
}

static void survey_lifetime(struct surveyor *s, const struct trace_event *ev, uint32_t thread)
{
	uint64_t low, high;

	if (!survey_lifetimes_range(&s->lifetimes, ev, thread, &low, &high))
		return;
	*vec_push(&s->lifetime_ranges) = (struct lifetime_range){ thread, low, high };
	if (ev->kind == EV_MAP)
		*vec_push(&s->mapped) = (struct lifetime_range){ thread, low, high };
	if (ev->kind == EV_ALLOC || ev->kind == EV_MAP) {
		for (uint64_t at = low; s->is_text && at < high && at - low < TEXT_BLOCK; at++)
			byte_at(s, at); /* creates the byte, whose 0 is then forgotten */
		pages_each(&s->survey->bytes, low, high, forget_value, NULL);
	}
}

static void survey_process_event(struct surveyor *s, const struct trace_event *ev)
{
	if (ev->kind == EV_STOP)
		s->survey->stopped = true;
	else if (ev->kind == EV_PROCESS && ev->mode == EVENT_PROCESS_ABORT)
		s->survey->aborted = true;
}

static void survey_event(struct surveyor *s, const struct trace_event *ev, uint32_t thread)
{
	struct survey *survey = s->survey;
	uint32_t other;

	switch (event_group(ev->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC:
		if (survey_is_access(ev))
			survey_access(s, ev, thread);
		break;
	case EG_MEMORY:
		survey_lifetime(s, ev, thread);
		if (ev->kind == EV_FD_USE)
			use_object(survey_object(survey, SURVEY_DESCRIPTOR, ev->address), thread);
		break;
	case EG_THREAD:
		other = ev->number < TRACE_NONE
				? trace_find_stream(survey->trace, (uint32_t)ev->number)
				: TRACE_NONE;
		if (ev->kind == EV_CREATE && other != TRACE_NONE)
			survey->created[survey->thread_of[other]] = true;
		survey_lifetime(s, ev, thread);
		break;
	case EG_LOCK:
	case EG_CONDITION:
		survey_locks_see(survey, ev, thread);
		if (event_group(ev->kind) == EG_CONDITION)
			use_object(survey_object(survey, SURVEY_CONDITION, ev->address), thread);
		break;
	case EG_SEMAPHORE:
		use_object(survey_object(survey, SURVEY_SEMAPHORE, ev->address), thread);
		break;
	case EG_BARRIER:
		use_object(survey_object(survey, SURVEY_BARRIER, ev->address), thread);
		break;
	case EG_ONCE: use_object(survey_object(survey, SURVEY_ONCE, ev->address), thread); break;
	case EG_CHANNEL:
		use_object(survey_object(survey, SURVEY_CHANNEL, ev->address), thread);
		break;
	default: break;
	}
}

/* ---- results --------------------------------------------------------------------------------- */

static void mark_lifetime_of_byte(void *context, uint64_t number, void *item)
{
	const struct lifetime_range *range = context;
	struct survey_byte *byte = item;

	if (number == range->low || number == range->high)
		byte->bits |= SURVEY_BORDER;
	if (!byte->thread || number == range->high)
		return;
	use_byte(byte, range->thread);
	byte->bits |= SURVEY_IN_BLOCK;
}

SORT_COMPARISON(by_class_and_address, struct survey_object, a, b,
		sort_order(a->class, b->class) ?: sort_order(a->address, b->address))

static void sort_objects(struct survey *survey)
{
	vec_sort(&survey->objects, by_class_and_address);
	for (size_t i = 0; i < survey->objects.count; i++) {
		const struct survey_object *object = &survey->objects.items[i];

		*map_put(&survey->index[object->class], object->address, NULL) = i + 1;
	}
}

size_t survey_first_object(const struct survey *survey, enum survey_class class, uint64_t address)
{
	struct survey_object wanted = { .class = (uint8_t) class, .address = address };
	size_t i;

	SEARCH_FIRST(i, survey->objects.count,
		     by_class_and_address(&survey->objects.items[i], &wanted) >= 0);
	return i;
}

/* The begin or end of a lifetime counts as a use of each object whose address is in the range. */
static void use_objects_in_range(struct survey *survey, const struct lifetime_range *range)
{
	for (enum survey_class class = 0; class < SURVEY_BLOCK; class ++) {
		for (size_t i = survey_first_object(survey, class, range->low);
		     i < survey->objects.count && survey->objects.items[i].class == class &&
		     survey->objects.items[i].address < range->high;
		     i++)
			use_object(&survey->objects.items[i], range->thread);
	}
}

/*
 * Is the word shared? Uses the checker's rule: several threads use it, or it is mapped or static.
 */
static bool is_shared_word(const struct surveyor *s, uint64_t address)
{
	uint64_t first = address / WORD * WORD;
	uint16_t thread = 0;
	uint8_t bits = 0;

	for (unsigned i = 0; i < WORD; i++) {
		const struct survey_byte *byte = pages_get(&s->survey->bytes, first + i);

		if (!byte || !byte->thread)
			continue;
		bits |= byte->bits;
		if (thread && may_be_two_threads(thread, byte->thread))
			bits |= SURVEY_SEVERAL;
		thread = byte->thread;
	}
	for (size_t i = 0; i < s->mapped.count; i++) {
		if (s->mapped.items[i].low < first + WORD && s->mapped.items[i].high > first)
			return true;
	}
	return (bits & SURVEY_SEVERAL) || trace_is_static(s->survey->trace, first);
}

static void freeze_unexplained_reads(struct surveyor *s)
{
	for (size_t i = 0; i < s->unexplained_reads.count; i++) {
		uint64_t address = s->unexplained_reads.items[i].address;

		if (!s->is_text && !is_shared_word(s, address))
			continue;
		((struct survey_byte *)pages_get(&s->survey->bytes, address))->bits |=
			SURVEY_FROZEN;
		map_put(&s->survey->unexplained, s->unexplained_reads.items[i].position, NULL);
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

			if (byte->thread && (byte->bits & SURVEY_SEVERAL) &&
			    (byte->bits & (SURVEY_WRITTEN | SURVEY_IN_BLOCK | SURVEY_FROZEN)))
				byte->cell = goes_on ? byte[-1].cell : ++survey->cells;
		}
	}
}

/*
 * The memory between two adjacent bounds of lifetimes is an object, and each lifetime that covers
 * it is an operation on it. So overlapping lifetimes keep their order, and others do not.
 */
static void add_block_objects(struct surveyor *s)
{
	VEC(uint64_t) borders = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < s->lifetime_ranges.count; i++) {
		*vec_push(&borders) = s->lifetime_ranges.items[i].low;
		*vec_push(&borders) = s->lifetime_ranges.items[i].high;
	}
	vec_sort(&borders, sort_u64);
	for (size_t i = 0; i < borders.count; i++) {
		if (!kept || borders.items[kept - 1] != borders.items[i])
			borders.items[kept++] = borders.items[i];
	}
	for (size_t i = 0; i < s->lifetime_ranges.count; i++) {
		const struct lifetime_range *range = &s->lifetime_ranges.items[i];
		const uint64_t *at =
			bsearch(&range->low, borders.items, kept, sizeof *at, sort_u64);

		for (; *at < range->high; at++)
			use_object(survey_object(s->survey, SURVEY_BLOCK, *at), range->thread);
	}
	vec_free(&borders);
}

static void number_cells_and_objects(struct surveyor *s)
{
	struct survey *survey = s->survey;

	freeze_unexplained_reads(s);
	add_block_objects(s);
	sort_objects(survey);
	for (size_t i = 0; i < s->lifetime_ranges.count; i++) {
		struct lifetime_range *range = &s->lifetime_ranges.items[i];

		use_objects_in_range(survey, range);
		pages_each(&survey->bytes, range->low, range->high + 1, mark_lifetime_of_byte,
			   range);
	}
	number_cells(survey);
	survey->numbers = survey->cells;
	for (size_t i = 0; i < survey->objects.count; i++) {
		struct survey_object *object = &survey->objects.items[i];

		if (object->several)
			object->number = survey->numbers++;
		object->holders.writer.depth = 0; /* no lock is held when the second pass begins */
		object->holders.readers.count = 0;
	}
}

/* ---- the survey as a whole ------------------------------------------------------------------- */

/* The stream of a signal handler belongs to the thread that it interrupts. */
static void find_threads_of_streams(struct survey *survey)
{
	for (uint32_t i = 0; i < survey->threads; i++)
		survey->thread_of[i] = trace_stream_owner(survey->trace, i);
}

static void set_initial_values(struct surveyor *s)
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

	*survey = (struct survey){ .trace = trace, .threads = count };
	survey->bytes.size = sizeof(struct survey_byte);
	survey->thread_of = mem_zalloc((size_t)count + 1, sizeof *survey->thread_of);
	survey->created = mem_zalloc((size_t)count + 1, sizeof *survey->created);
	survey->waited = mem_zalloc((size_t)count + 1, sizeof *survey->waited);
	find_threads_of_streams(survey);
	survey_lifetimes_open(&s.lifetimes, count);
	s.unseen = survey_unexplained_open(count);
	set_initial_values(&s);
	for (; trace_order_next(order, &event); s.position++) {
		survey->forced |= trace_order_was_forced(order);
		if (event.index == TRACE_NO_INDEX) {
			survey_process_event(&s, &event);
			continue;
		}
		uint32_t thread = survey->thread_of[trace_find_stream(trace, event.stream)];
		survey_event(&s, &event, thread);
		survey_unexplained_see(s.unseen, survey, &event, thread);
	}
	survey_unexplained_close(s.unseen);
	survey->stopped |= trace_order_failure_count(order) > 0;
	trace_order_close(order);
	number_cells_and_objects(&s);
	survey_lifetimes_close(&s.lifetimes);
	vec_free(&s.unexplained_reads);
	vec_free(&s.mapped);
	vec_free(&s.lifetime_ranges);
}

void survey_free(struct survey *survey)
{
	for (size_t i = 0; i < survey->objects.count; i++)
		vec_free(&survey->objects.items[i].holders.readers);
	vec_free(&survey->objects);
	for (unsigned i = 0; i < SURVEY_CLASSES; i++)
		map_free(&survey->index[i]);
	map_free(&survey->unexplained);
	pages_free(&survey->bytes);
	free(survey->thread_of);
	free(survey->created);
	free(survey->waited);
}
