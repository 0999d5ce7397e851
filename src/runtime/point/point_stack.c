/* The stack of open calls of each thread. */
#include "runtime/point/point_stack.h"

#include "runtime/point/point_hit.h"
#include "runtime/host/save_vectors.h"

#include <sys/mman.h>

#define STACK_BYTES (256u << 10)

/* A stack. Those of ended threads are reused. */
struct point_stack {
	struct point_stack *next;
	uint8_t bytes[STACK_BYTES - sizeof(struct point_stack *)];
};
static struct point_stack *spare;
static char spare_lock;

SOOTH_TLS struct point_stack_self point_stack_self;

/* ---- allocating stacks ----------------------------------------------------------------------- */

static void lock(void)
{
	while (__atomic_test_and_set(&spare_lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_clear(&spare_lock, __ATOMIC_RELEASE);
}

static void map_stack(void *unused)
{
	void *map = mmap(NULL, sizeof(struct point_stack), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)unused;
	point_stack_self.stack = map == MAP_FAILED ? NULL : map;
}

static uint8_t *limit_of(struct point_stack *stack)
{
	return stack->bytes + sizeof(stack->bytes) - POINT_VALUES_MOST - 16 -
	       sizeof(struct point_open);
}

static void get_stack(void)
{
	struct point_stack_self *self = &point_stack_self;
	struct point_open *bottom;

	lock();
	self->stack = spare;
	if (spare)
		spare = spare->next;
	unlock();
	if (!self->stack)
		save_vectors_call(map_stack, NULL);
	if (!self->stack)
		return;
	bottom = (struct point_open *)self->stack->bytes;
	bottom->sp = UINT64_MAX;
	bottom->function = 0;
	bottom->bytes = 0;
	self->lost = 0;
	self->top = (uint8_t *)(bottom + 1);
	self->limit = limit_of(self->stack);
}

void point_end_thread(void)
{
	struct point_stack *stack = point_stack_self.stack;

	if (!stack)
		return;
	point_stack_self.limit = NULL;
	point_stack_self.stack = NULL;
	lock();
	stack->next = spare;
	spare = stack;
	unlock();
}

/* ---- entries --------------------------------------------------------------------------------- */

static struct point_open *last_entry(uint8_t *top)
{
	return (struct point_open *)top - 1;
}

static uint8_t *entry_start(uint8_t *top)
{
	struct point_open *entry = last_entry(top);

	return (uint8_t *)entry - ((entry->bytes + 7u) & ~7u);
}

/* Removes the entries of frames that have ended: those below the stack pointer. */
static void drop_closed(uint64_t sp)
{
	struct point_stack_self *self = &point_stack_self;

	while (last_entry(self->top)->sp < sp)
		self->top = entry_start(self->top);
	if (self->lost && self->lost < sp) {
		self->lost = 0;
		self->limit = limit_of(self->stack);
	}
}

/*
 * Removes the old entry of a function that is entered again with the same stack pointer. That
 * happens to a function that was inlined into this frame and left by an exception.
 */
static void drop_reentered(uint32_t number, uint64_t sp)
{
	for (uint8_t *top = point_stack_self.top; last_entry(top)->sp == sp; top = entry_start(top))
		if (last_entry(top)->number == number) {
			point_stack_self.top = entry_start(top);
			return;
		}
}

uint8_t *point_stack_room(uint32_t number, uint64_t sp)
{
	struct point_stack_self *self = &point_stack_self;

	if (__builtin_expect(!self->stack, 0))
		get_stack();
	if (!self->stack ||
	    thread_buffer_self.depth) /* a signal handler may run on another stack */
		return NULL;
	drop_closed(sp);
	drop_reentered(number, sp);
	if (self->top < self->limit)
		return self->top;
	if (!self->lost) {
		self->lost = sp;
		self->limit = NULL;
	}
	return NULL;
}

struct point_open point_stack_entry(uint32_t number, size_t bytes)
{
	struct point_open entry;
	uint8_t coded[4 + CODEC_OVERHANG] = { 0 };

	entry.sp = 0;
	entry.function = point_sites[number].function;
	entry.bytes = (uint16_t)bytes;
	entry.number = (uint16_t)number;
	entry.coded_bytes = (uint32_t)(codec_put_number(coded, number) - coded);
	entry.coded = (uint32_t)(coded[0] | coded[1] << 8 | coded[2] << 16);
	return entry;
}

void point_stack_push(uint32_t number, uint64_t sp, size_t bytes)
{
	uint8_t *top = point_stack_self.top + ((bytes + 7) & ~(size_t)7);
	struct point_open *entry = (struct point_open *)top;

	*entry = point_stack_entry(number, bytes);
	entry->sp = sp;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	point_stack_self.top = (uint8_t *)(entry + 1);
}

uint32_t point_stack_pop(uint32_t function, uint64_t sp, const uint8_t **values, size_t *bytes)
{
	struct point_stack_self *self = &point_stack_self;

	if (!self->stack || thread_buffer_self.depth)
		return 0;
	drop_closed(sp);
	if (self->lost)
		return 0;
	for (uint8_t *top = self->top; last_entry(top)->sp - sp <= POINT_FRAME_MOST;
	     top = entry_start(top)) {
		const struct point_open *entry = last_entry(top);
		if (entry->function != function)
			continue;
		self->top = entry_start(top);
		*values = self->top;
		*bytes = entry->bytes;
		return entry->number;
	}
	return 0;
}
