/*
 * Decodes the records of a stream into events. This is the hot path of everything that reads a
 * trace.
 *
 * Most records are segments. A segment of n elements costs one look-up, one bounds check and the
 * decoding of n elements. The elements were checked once, when their module was loaded (modules.c).
 */
#include "base/mem.h"
#include "event/codec.h"
#include "trace/point_text.h"
#include "trace/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX (1u << 20) /* deeper calls are counted, not kept */

/* State that only a text trace needs. */
struct cursor_text {
	bool calls_are_points;
	const char *ended_call; /* the call that the last event ended, or NULL */
	VEC(char) room;		/* buffer for the texts of points */
};

struct trace_cursor {
	const struct trace *trace;
	const struct store_stream *stream;
	size_t block; /* the next block to read */
	/* in the current block: the next byte to read, the end, the start of the last record */
	const uint8_t *p, *end, *start;
	/* the segment being decoded */
	const struct store_step *step, *step_end;
	const struct store_plan *plan;
	size_t module; /* index of the module that the last plan was in */
	const uint8_t *payload;
	const uint8_t *last_value; /* value of the last element, for WIRE_SAME */
	/* values computed from slots, of the current element and of an earlier one */
	uint64_t scratch[2];
	unsigned scratch_index;
	uint8_t *wide; /* a buffer as large as an element can be; NULL until needed */
	/* If `copy` is true, the next event is copy_event, the write of a COPY. */
	bool copy;
	struct trace_event copy_event;
	/* the values that the next record's fields are relative to */
	struct codec codec;
	uint64_t index;
	/* events so far that are not steps: calls, requests, second halves of copies */
	uint64_t not_steps;
	uint64_t step_mask; /* all ones in a handler's stream, which has no steps; otherwise 0 */
	const struct wire_element *pending; /* a SITE whose record is still to come, or NULL */
	/*
	 * The SITE that was last assigned to a record, and the pc of that record. Further records
	 * with this pc come from the same call and have the same site.
	 */
	const struct wire_element *bound;
	uint64_t bound_pc;
	VEC(struct trace_frame) frames;
	bool has_left; /* frames.items[frames.count] is the call that the last EXIT ended */
	uint64_t too_deep;
	bool failed;
	uint8_t fill;
	struct store_ignoring ignoring;
	struct cursor_text *text; /* NULL in a recording */
	uint64_t slots[WIRE_SLOTS];
};

struct trace_cursor *trace_cursor_open(const struct trace *trace, uint32_t i)
{
	struct trace_cursor *c = mem_zalloc(1, sizeof *c);

	assert(i < trace->streams.count);
	c->trace = trace;
	c->stream = &trace->streams.items[i];
	c->step_mask = c->stream->about.host == TRACE_NONE ? 0 : TRACE_NO_STEP;
	c->ignoring.any = trace->benign.count;
	if (trace_is_text(trace)) {
		c->text = mem_zalloc(1, sizeof *c->text);
		c->text->calls_are_points = !trace_meta(trace, "points");
	}
	return c;
}

void trace_cursor_close(struct trace_cursor *c)
{
	if (!c)
		return;
	vec_free(&c->frames);
	free(c->wide);
	if (c->text)
		vec_free(&c->text->room);
	free(c->text);
	free(c);
}

struct trace_position trace_cursor_position(const struct trace_cursor *c)
{
	const struct store_block *b = c->block ? &c->stream->blocks[c->block - 1] : NULL;

	return (struct trace_position){ b ? b->number : 0, b ? (uint64_t)(c->start - b->data) : 0 };
}

size_t trace_cursor_stack(const struct trace_cursor *c, const struct trace_frame **frames)
{
	*frames = c->frames.items;
	return c->frames.count;
}

const struct trace_frame *trace_cursor_last_exit(const struct trace_cursor *c)
{
	return c->has_left ? &c->frames.items[c->frames.count] : NULL;
}

bool store_cursor_is_text(const struct trace_cursor *c, bool *calls_are_points)
{
	*calls_are_points = c->text && c->text->calls_are_points;
	return c->text;
}

const char *store_cursor_ended(const struct trace_cursor *c)
{
	return c->text->ended_call;
}

char *store_cursor_room(const struct trace_cursor *c, size_t bytes)
{
	c->text->room.count = 0;
	return vec_reserve(&c->text->room, bytes);
}

const struct trace *store_cursor_trace(const struct trace_cursor *c)
{
	return c->trace;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static bool fail_at_record(struct trace_cursor *c, struct err *err, const char *what)
{
	const struct store_block *b = &c->stream->blocks[c->block - 1];

	c->failed = true;
	return err_set(err, "%s: offset %#" PRIx64 ": stream %" PRIu32 ", block %" PRIu64 ": %s",
		       c->trace->files.items[b->file], b->offset + (uint64_t)(c->start - b->data),
		       c->stream->about.number, b->number, what);
}

/*
 * Called if a record does not fit in its block. If the file was truncated in this block, this is
 * the end of the stream; otherwise it is an error.
 */
static bool end_or_fail(struct trace_cursor *c, struct err *err)
{
	if (!c->stream->blocks[c->block - 1].cut)
		return fail_at_record(c, err, "a record that extends past the end of its block");
	c->failed = true;
	err->text[0] = 0;
	return false;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void push_call(struct trace_cursor *c, const struct trace_frame *frame)
{
	c->has_left = false;
	if (c->frames.count < DEPTH_MAX)
		*vec_push(&c->frames) = *frame;
	else
		c->too_deep++;
}

/*
 * Removes the innermost frame of `function` (NULL: of any function), and all frames inside it,
 * because exceptions and longjmp leave functions without a record. An exit from a function that was
 * never entered has no effect.
 */
static void pop_call(struct trace_cursor *c, const char *function)
{
	size_t i = c->frames.count;

	c->has_left = false;
	if (c->too_deep) {
		c->too_deep--;
		return;
	}
	if (!i)
		return;
	if (!function || c->frames.items[i - 1].function == function) {
		c->frames.count--;
		c->has_left = true;
		return;
	}
	while (i-- > 0) {
		const char *name = c->frames.items[i].function;

		if (name == function || (name && !strcmp(name, function))) {
			c->frames.count = i;
			c->has_left = true;
			return;
		}
	}
}

/*
 * `ret f=v` in a text trace ends the innermost open call of f and all calls inside it that never
 * returned. If there is no open call of f, nothing ends.
 */
static void pop_named_call(struct trace_cursor *c, uint64_t place)
{
	const char *ret = trace_call_text(c->trace, place);
	size_t length = ret ? point_text_name(ret) : 0;

	for (size_t i = c->frames.count; ret && !c->too_deep && i-- > 0;) {
		const char *call = trace_call_text(c->trace, c->frames.items[i].pc);

		if (call && point_text_name(call) == length && !memcmp(call, ret, length)) {
			c->text->ended_call = call;
			c->frames.count = i;
			return;
		}
	}
	c->too_deep -= c->too_deep > 0;
}

/* Returns the number of the next step. The cursor counts the few events that are not steps. */
static inline uint64_t next_step(const struct trace_cursor *c)
{
	return (c->index - c->not_steps) | c->step_mask;
}

/* ---- segments -------------------------------------------------------------------------------- */

static inline uint64_t load_bytes(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, p, bytes);
	return value;
}

static inline uint64_t load_address(const uint8_t *p)
{
	uint32_t low;
	uint16_t high;

	memcpy(&low, p, 4);
	memcpy(&high, p + 4, 2);
	return (uint64_t)high << 32 | low;
}

static inline uint64_t step_address(struct trace_cursor *c, const struct store_step *s)
{
	uint64_t address;

	switch (s->address_form) {
	case WIRE_PAYLOAD:
		address = load_address(c->payload + s->address_at);
		if (s->address_slot != WIRE_NO_SLOT)
			c->slots[s->address_slot] = address;
		return (address + s->address) & WIRE_ADDRESS_MASK;
	case WIRE_SLOT: return (c->slots[s->address_slot] + s->address) & WIRE_ADDRESS_MASK;
	case WIRE_CONST: return s->address;
	}
	return 0;
}

/* Returns a constant of more than 8 bytes: the bytes of `value`, followed by zeros. */
static const uint8_t *wide_constant(struct trace_cursor *c, uint64_t value)
{
	if (!c->wide)
		c->wide = mem_zalloc(65536, 1);
	memcpy(c->wide, &value, sizeof value);
	return c->wide;
}

static inline const uint8_t *step_value(struct trace_cursor *c, const struct store_step *s)
{
	const uint8_t *value = NULL;

	switch (s->value_form) {
	case WIRE_PAYLOAD:
		value = c->payload + s->value_at;
		if (s->value_slot != WIRE_NO_SLOT) {
			c->slots[s->value_slot] =
				s->size == 8   ? load_bytes(value, 8)
				: s->size == 4 ? load_bytes(value, 4)
					       : load_bytes(value, s->size < 8 ? s->size : 8);
		}
		break;
	case WIRE_SLOT:
		c->scratch[c->scratch_index ^= 1] = c->slots[s->value_slot] + s->value;
		value = (const uint8_t *)&c->scratch[c->scratch_index];
		break;
	case WIRE_CONST:
		value = s->size > 8 ? wide_constant(c, s->value) : (const uint8_t *)&s->value;
		break;
	case WIRE_SAME: value = c->last_value; break;
	}
	c->last_value = value;
	return value;
}

/* Executes an element that only sets a slot and is not an event. */
static inline void define_slot(struct trace_cursor *c, const struct store_step *s)
{
	uint64_t *slot = &c->slots[s->address_slot];

	switch (s->value_form) {
	case WIRE_SLOT: *slot = c->slots[s->value_slot] + s->value; break;
	case WIRE_INDEX:
		*slot = wire_index(s->address_form == WIRE_CONST
					   ? s->address
					   : c->slots[s->address_at] + s->address,
				   c->slots[s->value_slot] + s->value, s->size, s->value_at);
		break;
	case WIRE_PAYLOAD: *slot = load_bytes(c->payload + s->value_at, s->size); break;
	default: *slot = load_address(c->payload + s->address_at);
	}
}

/* Decodes one element. Returns false if it was not an event. */
static inline bool decode_element(struct trace_cursor *c, struct trace_event *ev)
{
	const struct store_step *s = c->step++;
	uint64_t address;

	if (s->kind == EV_NONE) {
		define_slot(c, s);
		return false;
	}
	address = step_address(c, s);

	/* Field by field: gcc clears a struct with `rep stos`, which took a third of the time. */
	ev->kind = s->kind;
	ev->flags = s->flags;
	ev->order = 0;
	ev->stream = c->stream->about.number;
	ev->unit = s->size;
	ev->index = c->index;
	ev->step = next_step(c);
	ev->address = address;
	ev->size = s->size;
	ev->other = ev->number = ev->mode = ev->sequence = 0;
	ev->time = c->codec.time;
	ev->pc = 0;
	ev->value = step_value(c, s);
	ev->old = NULL;
	ev->site = s->site;
	c->pending = NULL;
	if (__builtin_expect(s->kind > EV_WRITE, 0)) {
		if (s->kind == EV_SITE) {
			c->pending = s->site;
			return false;
		}
		ev->value = NULL;
		ev->size = ev->unit = 0;
		c->not_steps++;
		if (s->kind == EV_ENTER)
			push_call(c,
				  &(struct trace_frame){ address, c->plan->function, s->site, 0 });
		else
			pop_call(c, c->plan->function);
	}
	c->index++;
	return true;
}

static bool start_segment(struct trace_cursor *c, uint32_t h, struct err *err)
{
	const struct store_plan *plan = store_find_plan(c->trace, h, &c->module);

	if (__builtin_expect(!plan, 0)) {
		char text[80];

		snprintf(text, sizeof text, "no module has a row at %#" PRIx32 " (modulo 4 GiB)",
			 h);
		return fail_at_record(c, err, text);
	}
	if (__builtin_expect(c->end - c->p < plan->bytes, 0))
		return end_or_fail(c, err);
	c->plan = plan;
	c->payload = c->p;
	c->p += plan->bytes;
	c->step = &c->trace->steps.items[plan->first];
	c->step_end = c->step + plan->count;
	return true;
}

/* ---- runtime records ------------------------------------------------------------------------- */

/*
 * Sets the value of an access. The record contains `copies` values of f->n bytes (2: the old and
 * the new value), or none. Returns an error or NULL.
 */
static const char *set_access_value(struct trace_event *ev, const struct codec_fields *f,
				    unsigned copies)
{
	ev->size = f->n;
	ev->number = 0;
	if (!f->size)
		return NULL;
	if (f->n > WIRE_RECORD_MAX || f->size != f->n * copies)
		return "an access whose value has another size than the access";
	ev->unit = (uint32_t)f->n;
	ev->value = f->bytes + (copies - 1) * f->n;
	ev->old = copies == 2 ? f->bytes : NULL;
	return NULL;
}

static void set_memory_order(struct trace_event *ev, uint64_t m)
{
	ev->order = (uint8_t)m;
	ev->flags = (uint8_t)(m >> EVENT_ORDER_BITS);
	ev->mode = 0;
}

/*
 * Sets the pc and the site of a point, which are in the table of points and not in the record. In a
 * text trace, the record's number is the number of the place.
 */
static void set_point_site(const struct trace_cursor *c, struct trace_event *ev)
{
	const struct store_point *point = store_point(c->trace, ev->number);

	if (ev->kind != EV_POINT)
		return;
	if (c->text) {
		ev->pc = ev->number;
		ev->number = 0;
	}
	if (c->text || !point)
		return;
	ev->pc = point->pc;
	ev->site = &point->site;
}

/* Sets the fields whose meaning depends on the kind of the event. Returns an error or NULL. */
static const char *set_kind_fields(struct trace_cursor *c, struct trace_event *ev,
				   const struct codec_fields *f)
{
	const char *wrong = NULL;

	switch (ev->kind) {
	case EV_READ:
	case EV_WRITE:
		wrong = set_access_value(ev, f, 1);
		ev->flags = (uint8_t)f->m;
		ev->mode = 0;
		break;
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE:
	case EV_ATOMIC_UPDATE:
		wrong = set_access_value(ev, f, ev->kind == EV_ATOMIC_UPDATE ? 2 : 1);
		set_memory_order(ev, f->m);
		break;
	case EV_FENCE: set_memory_order(ev, f->m); break;
	case EV_COPY: /* returns the read; the next trace_next() returns the write */
		wrong = set_access_value(ev, f, 1);
		ev->kind = EV_READ;
		c->copy = true;
		c->copy_event = *ev;
		c->copy_event.kind = EV_WRITE;
		c->copy_event.other = 0;
		ev->address = f->b;
		ev->other = 0;
		break;
	case EV_FILL:
		ev->kind = EV_WRITE;
		ev->size = f->n;
		ev->number = ev->mode = 0;
		ev->unit = 1;
		c->fill = (uint8_t)f->m;
		ev->value = &c->fill;
		break;
	case EV_ALLOC:
	case EV_MAP:
	case EV_UNMAP:
		ev->size = f->n;
		ev->number = 0;
		break;
	case EV_FD_OPEN:
	case EV_FD_CLOSE:
	case EV_FD_USE: ev->size = 1; break; /* each descriptor stands for one address */
	case EV_UNMODELLED:
	case EV_PROBE:
	case EV_POINT:
		set_point_site(c, ev);
		ev->value = f->bytes;
		ev->size = ev->unit = (uint32_t)f->size;
		if (ev->kind == EV_PROBE)
			store_update_ignoring(c->trace, &c->ignoring, ev);
		break;
	case EV_ENTER: push_call(c, &(struct trace_frame){ .pc = f->p, .site = ev->site }); break;
	case EV_EXIT:
		if (c->text)
			pop_named_call(c, f->p);
		else
			pop_call(c, NULL);
		break;
	}
	return wrong;
}

/*
 * Binds the pending SITE to a record if the record comes from its call. That is the next call from
 * code that the plugin compiled, not the calls that a library makes before it (pthread_create
 * allocates memory). If the call is one of a wrapper, returns the SITE: further records with this
 * pc may come from other calls.
 */
static const struct wire_element *bind_site(struct trace_cursor *c, enum event_kind kind,
					    uint64_t pc)
{
	const struct wire_element *site = c->pending;

	if (!site || !event_fits_site(kind, site->size))
		return NULL;
	if (trace_is_static(c->trace, pc)) {
		c->bound = site;
		c->bound_pc = pc;
	} else if (!(site->size & WIRE_SITE_WRAPPER)) {
		return NULL;
	}
	c->pending = NULL;
	return trace_is_static(c->trace, pc) ? NULL : site;
}

/*
 * Decodes a runtime record. Returns false if it is not an event, or with c->failed set if it is
 * damaged or incomplete.
 */
static bool decode_record(struct trace_cursor *c, struct trace_event *ev, struct err *err)
{
	enum event_kind kind;
	size_t bytes;
	size_t header = codec_get_header(c->p, c->end, &kind, &bytes);
	struct codec_fields f = { 0 };
	const uint8_t *body = c->p + header;
	const struct wire_element *wrapper;
	const char *wrong;

	err->text[0] = 0;
	if (c->text)
		c->text->ended_call = NULL;
	if (!header || (size_t)(c->end - body) < bytes)
		return end_or_fail(c, err);
	if (kind >= EV_COUNT || kind == EV_NONE || kind == EV_SITE)
		return fail_at_record(
			c, err, "a record of a kind that this version of sooth does not know");
	if (!codec_get_fields(&c->codec, event_fields(kind), body, body + bytes, &f))
		return fail_at_record(c, err, "a record whose fields do not fit it");
	c->p = body + bytes;
	if (kind == EV_TIME)
		return false;
	wrapper = bind_site(c, kind, f.p);
	*ev = (struct trace_event){
		.kind = (uint8_t)kind,
		.stream = c->stream->about.number,
		.index = event_group(kind) == EG_NOTE ? TRACE_NO_INDEX : c->index,
		.step = next_step(c),
		.address = f.a,
		.other = f.b,
		.number = f.n,
		.mode = f.m,
		.sequence = f.q,
		.time = c->codec.time,
		.pc = f.p,
		.site = wrapper				 ? wrapper
			: c->bound && c->bound_pc == f.p ? c->bound
							 : NULL,
	};
	wrong = set_kind_fields(c, ev, &f);
	if (wrong)
		return fail_at_record(c, err, wrong);
	if (ev->index != TRACE_NO_INDEX) {
		c->index++;
		c->not_steps += !event_is_step(kind);
	}
	return true;
}

/* ---- blocks, and the whole stream ------------------------------------------------------------ */

static bool next_block(struct trace_cursor *c, struct err *err)
{
	const struct store_block *b;

	if (c->block == c->stream->count) {
		c->failed = true;
		err->text[0] = 0;
		return c->stream->gap ? err_set(err, "%s", c->stream->gap) : false;
	}
	b = &c->stream->blocks[c->block++];
	c->start = c->p = b->data;
	c->end = b->data + b->bytes;
	c->codec = (struct codec){ .time = b->time };
	return true;
}

/* Returns the write of a COPY whose read was the last event. */
static void finish_copy(struct trace_cursor *c, struct trace_event *ev)
{
	*ev = c->copy_event;
	ev->index = c->index++;
	c->not_steps++; /* a COPY is one step, which the read has counted */
	c->copy = false;
}

bool trace_next(struct trace_cursor *c, struct trace_event *ev, struct err *err)
{
	for (;;) {
		uint32_t h;

		while (__builtin_expect(c->step != c->step_end, 1)) {
			if (__builtin_expect(decode_element(c, ev), 1)) {
				if (__builtin_expect(c->ignoring.any, 0))
					store_mark_ignored(c->trace, &c->ignoring, ev);
				return true;
			}
		}
		if (__builtin_expect(c->failed, 0))
			return false;
		if (__builtin_expect(c->copy, 0)) {
			finish_copy(c, ev);
			store_mark_ignored(c->trace, &c->ignoring, ev);
			return true;
		}
		c->start = c->p;
		if (__builtin_expect(c->p == c->end, 0)) {
			if (!next_block(c, err))
				return false;
		} else if (*c->p & 1) {
			if (decode_record(c, ev, err)) {
				if (__builtin_expect(c->ignoring.any, 0))
					store_mark_ignored(c->trace, &c->ignoring, ev);
				return true;
			}
			if (c->failed)
				return false;
		} else {
			if (c->end - c->p < 4)
				return end_or_fail(c, err);
			memcpy(&h, c->p, 4);
			c->p += 4;
			if (!start_segment(c, h, err))
				return false;
		}
	}
}
