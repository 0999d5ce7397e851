/*
 * Decodes the calling thread's own records. The state is the same as that of the trace reader's
 * cursor: the position reached, the values of the slots, and a site whose record has not come yet.
 * Each element is decoded only once. So decoding an access costs about as much here as in the trace
 * reader.
 *
 * A segment is decoded while the thread writes it. At the NOP before element k, the record already
 * contains the data of all elements before k, the address of k and, if k is a write, the value to
 * be written. The value that a read returns may define a slot. The record contains that value only
 * at the next NOP, or when the segment is complete.
 *
 * The plugin's data-flow analysis (slots.cc of each plugin) guarantees that an element uses a slot
 * only where the slot is defined. So slots need no reset, neither when an exception leaves a call
 * nor when a thread starts.
 */
#include "runtime/sched/access_decoder.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/sched/det_heap.h"
#include "runtime/sched/sched.h"

#include <stddef.h>

#define ADDRESS_MASK ((1ull << 48) - 1)
#define HEADER_BYTES 4

/*
 * Most functions have few slots, so only the first ones are thread-local variables. The others are
 * in the thread's private memory (det_heap.h). So threads of programs that take no turns do not pay
 * for them, and a short-lived thread touches no page for them. They are not cleared when a thread
 * begins, because an undefined slot is never used.
 */
#define NEAR_SLOTS 48u
static SOOTH_TLS struct access_decoder {
	/* all records before this address are decoded; NULL: decoding is off */
	const uint8_t *at;
	/* row of the segment at `at`; NULL: not looked up yet */
	const struct wire_segment *row;
	const struct wire_element *next;    /* all elements of `row` before this one are decoded */
	unsigned module;		    /* index of the last row's module */
	const struct wire_element *pending; /* an EV_SITE whose record has not been made yet */
	const struct wire_element *bound;   /* the site that was last assigned to a record */
	uintptr_t bound_pc;		    /* return address of the call at `bound` */
	/* the slots from NEAR_SLOTS on; NULL: no memory for them */
	uint64_t *far;
	uint64_t near[NEAR_SLOTS];
} self;

_Static_assert(WIRE_SLOTS * sizeof(uint64_t) <= DET_HEAP_PRIVATE_BYTES, "slots fit their place");

static inline uint64_t *slot(struct access_decoder *f, unsigned number)
{
	return number < NEAR_SLOTS ? &f->near[number] : &f->far[number % WIRE_SLOTS];
}

void *access_decoder_scratch(size_t *bytes)
{
	*bytes = sizeof(self.near);
	return self.near;
}

/* ---- modules --------------------------------------------------------------------------------- */

#define MODULES_MAX 1024u
static struct {
	uintptr_t seg;
	uint32_t seg_bytes;
	uint64_t base, bytes;
} modules[MODULES_MAX];
static unsigned module_count;

void access_decoder_module(const char *seg, uint32_t seg_bytes, uint64_t base, uint64_t end)
{
	unsigned i = __atomic_load_n(&module_count, __ATOMIC_RELAXED);

	if (i == MODULES_MAX)
		return;
	modules[i].seg = (uintptr_t)seg;
	modules[i].seg_bytes = seg_bytes;
	modules[i].base = base;
	modules[i].bytes = end - base;
	__atomic_store_n(&module_count, i + 1, __ATOMIC_RELEASE);
}

/*
 * Returns the row whose address has the low half `low`. It is nearly always in the same module as
 * the previous row.
 */
static const struct wire_segment *find_row(struct access_decoder *f, uint32_t low)
{
	uint32_t offset = low - (uint32_t)modules[f->module].seg;

	if (__builtin_expect(offset < modules[f->module].seg_bytes, 1))
		return (const struct wire_segment *)(modules[f->module].seg + offset);
	for (unsigned i = 0; i < __atomic_load_n(&module_count, __ATOMIC_ACQUIRE); i++) {
		offset = low - (uint32_t)modules[i].seg;
		if (offset < modules[i].seg_bytes) {
			f->module = i;
			return (const struct wire_segment *)(modules[i].seg + offset);
		}
	}
	return NULL;
}

bool access_decoder_is_instrumented(uintptr_t pc)
{
	for (unsigned i = 0; i < __atomic_load_n(&module_count, __ATOMIC_ACQUIRE); i++)
		if (pc - modules[i].base < modules[i].bytes)
			return true;
	return false;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef uint16_t loose16 __attribute__((aligned(1), may_alias));
typedef uint32_t loose32 __attribute__((aligned(1), may_alias));
typedef uint64_t loose64 __attribute__((aligned(1), may_alias));

static inline uint64_t load_address(const uint8_t *p)
{
	return ((uint64_t)(*(const loose16 *)(p + 4))) << 32 | *(const loose32 *)p;
}

/* Returns a value, or its first 8 bytes if it is longer. Eight bytes can always be read at `p`. */
static inline uint64_t load_value(const uint8_t *p, unsigned bytes)
{
	uint64_t value = *(const loose64 *)p;

	return bytes >= 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

/* Executes an element that is not an event but defines a slot. */
static void define_slot(struct access_decoder *f, const struct wire_element *e,
			const uint8_t *payload)
{
	uint64_t *to = slot(f, e->address_slot), base = (uint64_t)(int64_t)e->address_ref;

	switch (e->value_form) {
	case WIRE_SLOT: *to = *slot(f, e->value_slot) + e->value; break;
	case WIRE_INDEX:
		base += e->address_form == WIRE_CONST ? (uint64_t)&e->address_ref
						      : *slot(f, e->address_at);
		*to = wire_index(base, *slot(f, e->value_slot) + e->value, e->size, e->value_at);
		break;
	case WIRE_PAYLOAD: *to = load_value(payload + e->value_at, e->size); break;
	default: *to = load_address(payload + e->address_at);
	}
}

/*
 * Executes an element whose data is complete: sets the slots that it defines. Most elements define
 * none.
 */
static inline void execute_element(struct access_decoder *f, const struct wire_element *e,
				   const uint8_t *payload)
{
	if (__builtin_expect(e->kind == EV_NONE, 0)) {
		define_slot(f, e, payload);
		return;
	}
	f->pending = NULL;
	if (e->address_slot != WIRE_NO_SLOT && e->address_form == WIRE_PAYLOAD)
		*slot(f, e->address_slot) = load_address(payload + e->address_at);
	if (e->value_slot != WIRE_NO_SLOT && e->value_form == WIRE_PAYLOAD)
		*slot(f, e->value_slot) = load_value(payload + e->value_at, e->size);
	if (__builtin_expect(e->kind == EV_SITE, 0))
		f->pending = e;
}

static inline const struct wire_element *elements_of(const struct wire_segment *row)
{
	return (const struct wire_element *)(row + 1);
}

/* Executes the elements of the current segment up to `end`. */
static inline void execute_until(struct access_decoder *f, const uint8_t *payload,
				 const struct wire_element *end)
{
	const struct wire_element *e = f->next;

	f->next = end;
	for (; e < end; e++)
		execute_element(f, e, payload);
}

/*
 * Sets `row` to the row of the segment at `at`, or returns false if no module has that row. The row
 * may have changed: the thread may have abandoned a segment (a fault whose handler jumped away) and
 * begun another one at the same address.
 */
static inline bool find_segment(struct access_decoder *f)
{
	uint32_t low = *(const loose32 *)f->at;

	if (f->row && (uint32_t)(uintptr_t)f->row == low)
		return true;
	f->row = find_row(f, low);
	if (!f->row)
		return false;
	f->next = elements_of(f->row);
	return true;
}

/* ---- records --------------------------------------------------------------------------------- */

static inline size_t record_bytes(const uint8_t *p)
{
	return p[1] != 255 ? CODEC_SHORT_HEADER + (size_t)p[1]
			   : CODEC_LONG_HEADER + ((size_t)p[2] | (size_t)p[3] << 8);
}

static void catch_up(struct access_decoder *f, const uint8_t *to)
{
	while (f->at < to) {
		if (*f->at & 1) {
			f->at += record_bytes(f->at);
		} else if (find_segment(f)) {
			execute_until(f, f->at + HEADER_BYTES, elements_of(f->row) + f->row->count);
			f->at += HEADER_BYTES + f->row->bytes;
		} else {
			/* no module has such a row: the trace reader will report this */
			f->at = to;
		}
		f->row = NULL;
	}
}

/* Finds the value that a write is about to store: it is in the record, in a slot, or constant. */
static inline bool find_written_value(struct access_decoder *f, const struct wire_element *e,
				      const uint8_t *payload, uint64_t *value)
{
	switch (e->value_form) {
	case WIRE_PAYLOAD: *value = load_value(payload + e->value_at, e->size); return true;
	case WIRE_SLOT:
		*value = *slot(f, e->value_slot) + e->value;
		if (e->size < 8)
			*value &= (1ull << 8 * e->size) - 1;
		return true;
	case WIRE_CONST: *value = e->value; return true;
	case WIRE_SAME: /* a struct copy: the preceding read has put the value into the record */
		while ((--e)->kind == EV_NONE)
			;
		*value = load_value(payload + e->value_at, e->size);
		return true;
	}
	return false;
}

/*
 * Returns the address of an access. Sets the slot that the address defines at once, because the
 * value to be written may refer to that slot (a pointer to the object itself).
 */
static inline uint64_t find_address(struct access_decoder *f, const struct wire_element *e,
				    const uint8_t *payload)
{
	uint64_t plus = (uint64_t)(int64_t)e->address_ref, address;

	switch (e->address_form) {
	case WIRE_PAYLOAD:
		address = load_address(payload + e->address_at);
		if (e->address_slot != WIRE_NO_SLOT)
			*slot(f, e->address_slot) = address;
		return (address + plus) & ADDRESS_MASK;
	case WIRE_SLOT: return (*slot(f, e->address_slot) + plus) & ADDRESS_MASK;
	case WIRE_CONST: return (uint64_t)&e->address_ref + plus;
	}
	return 0;
}

/* Fast path of catch_up(): handles a `record` that directly follows the current segment. */
static inline bool step_to_next_segment(struct access_decoder *f, const uint8_t *record)
{
	const struct wire_segment *row = f->row;
	uint32_t low = (uint32_t)(uintptr_t)row;

	if (!row || f->at + HEADER_BYTES + row->bytes != record || *(const loose32 *)f->at != low)
		return false;
	execute_until(f, f->at + HEADER_BYTES, elements_of(row) + row->count);
	f->at = record;
	f->next = elements_of(row);
	if (*(const loose32 *)record != low) /* otherwise the same segment runs again, in a loop */
		f->row = NULL;
	return true;
}

const struct wire_element *access_decoder_next(const uint8_t *record, unsigned element,
					       uint64_t *address)
{
	struct access_decoder *f = &self;
	const uint8_t *payload = record + HEADER_BYTES;

	if (f->at != record) {
		if (!f->at)
			return NULL;
		if (!step_to_next_segment(f, record))
			catch_up(f, record);
	}
	if (__builtin_expect(!find_segment(f), 0))
		return NULL;
	const struct wire_element *e = elements_of(f->row) + element;
	if (__builtin_expect(e < f->next, 0))
		f->next = elements_of(f->row);
	execute_until(f, payload, e);
	*address = find_address(f, e, payload);
	return e;
}

bool access_decoder_value(const struct wire_element *access, const uint8_t *record, uint64_t *value)
{
	return find_written_value(&self, access, record + HEADER_BYTES, value);
}

uint64_t access_decoder_site(enum event_kind kind, uintptr_t pc)
{
	struct access_decoder *f = &self;

	if (!f->at ||
	    thread_buffer_self.depth > 0) /* a signal handler's records are in another stream */
		return pc;
	catch_up(f, (const uint8_t *)__sooth_lane->cursor);
	if (f->pending && event_fits_site(kind, f->pending->size) &&
	    access_decoder_is_instrumented(pc)) {
		f->bound = f->pending;
		f->bound_pc = pc;
		f->pending = NULL;
	}
	return f->bound && f->bound_pc == pc ? (uint64_t)f->bound : pc;
}

void access_decoder_before_flush(const struct wire_block *buffer)
{
	if (sched_active && self.at && buffer == thread_buffer_self.buffers[0])
		catch_up(&self, (const uint8_t *)buffer->cursor);
}

void access_decoder_after_flush(const struct wire_block *buffer)
{
	if (!sched_active || buffer->flags & WIRE_BLOCK_HANDLER)
		return;
	if (buffer != thread_buffer_self.buffers[0]) { /* a thread begins */
		self.far = det_heap_private(thread_buffer_self.stream);
		self.pending = self.bound = NULL;
	}
	self.at = self.far ? (const uint8_t *)THREAD_BUFFER_FIRST(buffer) : NULL;
	self.row = NULL;
}
