#include "runtime/point_stack.h"

#include "runtime/lane.h"
#include "runtime/point_hit.h"
#include "runtime/vectors.h"

#include <sys/mman.h>

#define STACK_BYTES (256u << 10)
/* What is further away than this on the stack is another stack (swapcontext). */
#define FRAME_MOST (1u << 20)

/* Behind its values, so that the last one is found from the top. */
struct entry {
	uint64_t sp;
	uint32_t number;
	uint32_t bytes; /* of values; they take a multiple of 8 */
};

/* Stacks of threads that have ended are used again. */
struct stack {
	struct stack *next;
	uint8_t bytes[STACK_BYTES - sizeof(struct stack *)];
};
static struct stack *spare;
static char spare_lock;

static SOOTH_TLS struct {
	struct stack *stack;
	uint32_t top;
	uint64_t lost; /* where the stack pointer was when there was no room; 0: there always was */
} self;

static void lock(void)
{
	while (__atomic_test_and_set(&spare_lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_clear(&spare_lock, __ATOMIC_RELEASE);
}

static void make(void *unused)
{
	void *map = mmap(NULL, sizeof(struct stack), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)unused;
	self.stack = map == MAP_FAILED ? NULL : map;
}

static void begin(void)
{
	lock();
	struct stack *stack = spare;
	if (stack)
		spare = stack->next;
	unlock();
	self.stack = stack;
	self.top = 0;
	self.lost = 0;
	if (!stack)
		vectors_call(make, NULL);
}

void point_end_thread(void)
{
	struct stack *stack = self.stack;

	if (!stack)
		return;
	self.stack = NULL;
	lock();
	stack->next = spare;
	spare = stack;
	unlock();
}

static struct entry *entry_below(uint32_t top)
{
	return (struct entry *)(self.stack->bytes + top - sizeof(struct entry));
}

static uint32_t below(uint32_t top)
{
	return top - (uint32_t)sizeof(struct entry) - ((entry_below(top)->bytes + 7) & ~7u);
}

/* Frames that are gone: the stack grows down. */
static void drop(uint64_t sp)
{
	while (self.top && entry_below(self.top)->sp < sp)
		self.top = below(self.top);
	if (self.lost < sp)
		self.lost = 0;
}

/*
 * A function that was inlined into this frame and left by an exception: it is entered once more at the
 * same place.
 */
static void drop_again(uint32_t number, uint64_t sp)
{
	for (uint32_t top = self.top; top && entry_below(top)->sp == sp; top = below(top))
		if (entry_below(top)->number == number) {
			self.top = below(top);
			return;
		}
}

uint8_t *point_stack_room(uint32_t number, uint64_t sp, size_t most)
{
	if (__builtin_expect(!self.stack, 0))
		begin();
	if (!self.stack || lane_self.depth) /* a signal handler may have a stack of its own */
		return NULL;
	drop(sp);
	drop_again(number, sp);
	if (!self.lost && self.top + most + 8 + sizeof(struct entry) <= sizeof(self.stack->bytes))
		return self.stack->bytes + self.top;
	if (!self.lost)
		self.lost = sp;
	return NULL;
}

void point_stack_push(uint32_t number, uint64_t sp, size_t bytes)
{
	uint32_t room = ((uint32_t)bytes + 7) & ~7u;
	struct entry *entry = (struct entry *)(self.stack->bytes + self.top + room);

	*entry = (struct entry){ sp, number, (uint32_t)bytes };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self.top += room + (uint32_t)sizeof(*entry);
}

uint32_t point_stack_pop(uint32_t function, uint64_t sp, size_t most, const uint8_t **values,
			 size_t *bytes)
{
	if (!self.stack || lane_self.depth)
		return 0;
	drop(sp);
	if (self.lost)
		return 0;
	for (uint32_t top = self.top; top; top = below(top)) {
		const struct entry *entry = entry_below(top);
		if (entry->sp - sp > FRAME_MOST)
			break;
		if (point_sites[entry->number].function != function)
			continue;
		if (entry->bytes > most)
			return POINT_STACK_TOO_LONG;
		self.top = below(top);
		*values = self.stack->bytes + self.top;
		*bytes = entry->bytes;
		return entry->number;
	}
	return 0;
}
