/*
 * Tests the addresses of blocks and stacks in a controlled run (includes
 * src/runtime/sched/det_heap.c): they depend only on thread and count, are never reused, freed
 * blocks are recognised, and unused memory is returned to the kernel.
 */
#include "check.h"

#include "runtime/sched/det_heap.c"

#include <errno.h>
#include <string.h>
#include <unistd.h>

SOOTH_TLS struct thread_buffer_self thread_buffer_self;

static void be_thread(uint32_t number)
{
	thread_buffer_self.known = true;
	thread_buffer_self.stream = number;
}

static bool is_resident(const void *address)
{
	unsigned char there = 0;

	mincore((void *)((uintptr_t)address & ~4095ul), 1, &there);
	return there & 1;
}

/*
 * The addresses that a thread gets do not depend on allocations of other threads or of the C
 * library.
 */
static void by_thread_and_count(void)
{
	uint8_t *one[3], *two[3];

	be_thread(1);
	for (int i = 0; i < 3; i++)
		one[i] = det_heap_alloc(24, 1, false);
	be_thread(2);
	for (int i = 0; i < 3; i++) {
		be_thread(2);
		two[i] = det_heap_alloc(24, 1, false);
		CHECK(det_heap_alloc(1000, 1, true) != NULL);
		be_thread(1);
		CHECK(det_heap_alloc(5, 1, false) != NULL);
	}
	for (int i = 0; i < 3; i++) {
		CHECK_SAME(two[i] - one[i], DET_HEAP_THREAD_BYTES);
		CHECK(det_heap_contains((uintptr_t)one[i]));
		CHECK_SAME((uintptr_t)one[i] % 16, 0);
		CHECK_SAME(det_heap_state(one[i]), DET_HEAP_LIVE);
		CHECK(det_heap_size(one[i]) >= 24);
	}
	CHECK(!det_heap_contains((uintptr_t)&one));
	CHECK(!det_heap_contains(DET_HEAP_BASE - 1));
	CHECK(!det_heap_contains(DET_HEAP_BASE + DET_HEAP_BYTES));
}

static void freed(void)
{
	be_thread(3);
	uint8_t *a = det_heap_alloc(100, 1, false), *b = det_heap_alloc(0, 1, false);
	uint8_t *c = det_heap_alloc(3000, 1, false);

	memset(a, 1, 100);
	CHECK(!det_heap_is_freed((uintptr_t)a, 100));
	CHECK(b != NULL && b != a && b != c);
	be_thread(4); /* any thread may free the block */
	det_heap_free(a);
	CHECK_SAME(det_heap_state(a), DET_HEAP_FREED);
	CHECK(det_heap_is_freed((uintptr_t)a, 1));
	CHECK(det_heap_is_freed((uintptr_t)a + 99, 1));
	CHECK(det_heap_is_freed((uintptr_t)a - 7, 8)); /* a range that overlaps the block */
	CHECK(!det_heap_is_freed((uintptr_t)a - 8, 8));
	CHECK(!det_heap_is_freed((uintptr_t)a, 0));
	CHECK(!det_heap_is_freed((uintptr_t)b, 1));
	CHECK(!det_heap_is_freed((uintptr_t)c, 3000));
	CHECK(!det_heap_is_freed((uintptr_t)&a, 8));
	det_heap_free(c);
	CHECK(det_heap_is_freed((uintptr_t)c + 1500, 1));
	CHECK_SAME(det_heap_state(b), DET_HEAP_LIVE);
	CHECK_SAME(det_heap_state(b + 1), DET_HEAP_NO_BLOCK);
	CHECK_SAME(det_heap_state(c + 16), DET_HEAP_FREED);
	CHECK_SAME(det_heap_state(c + 16000), DET_HEAP_NO_BLOCK);
	be_thread(3);
	uint8_t *d = det_heap_alloc(100, 1, false);
	CHECK(d > c); /* addresses are not reused */
	CHECK_SAME(det_heap_state(d + 32), DET_HEAP_NO_BLOCK);
}

static void aligned(void)
{
	be_thread(5);
	for (size_t alignment = 1; alignment <= 1 << 20; alignment *= 2) {
		uint8_t *block = det_heap_alloc(10, alignment, false);
		CHECK_SAME((uintptr_t)block % alignment, 0);
		CHECK_SAME(det_heap_state(block), DET_HEAP_LIVE);
		det_heap_free(block);
		CHECK_SAME(det_heap_state(block), DET_HEAP_FREED);
	}
}

static void resized(void)
{
	be_thread(6);
	uint8_t *a = det_heap_alloc(16, 1, false);
	CHECK(det_heap_resize(a, 200000)); /* the last block can grow in place */
	CHECK(det_heap_size(a) >= 200000);
	memset(a, 2, 200000);
	uint8_t *b = det_heap_alloc(16, 1, false);
	CHECK(b >= a + 200000);
	CHECK(!det_heap_resize(a, 300000));
	CHECK(det_heap_size(a) >= 200000 && det_heap_size(a) < 300000);
	CHECK(det_heap_resize(a, 10));
	CHECK(det_heap_resize(a, 200000));
	CHECK(!det_heap_resize(b, SIZE_MAX / 2));
	det_heap_free(a);
	CHECK(det_heap_is_freed((uintptr_t)a + 199999, 1));
	CHECK_SAME(det_heap_state(b), DET_HEAP_LIVE);
	CHECK(!det_heap_resize(b, DET_HEAP_THREAD_BYTES)); /* more than the whole region */
	CHECK(det_heap_alloc(SIZE_MAX - 5, 1, false) == NULL);
	CHECK(det_heap_alloc(DET_HEAP_THREAD_BYTES, 1, false) == NULL);
	CHECK(det_heap_alloc(10, DET_HEAP_MAIN_BYTES, false) == NULL);
	CHECK(det_heap_alloc(10, 1, false) != NULL);
}

/* Memory without live blocks is returned to the kernel, but its addresses are not reused. */
static void given_back(void)
{
	be_thread(7);
	uint8_t *small[2000], *keep = NULL;

	for (int i = 0; i < 2000; i++) {
		small[i] = det_heap_alloc(1000, 1, false);
		memset(small[i], 3, 1000);
		if (i == 1000)
			keep = det_heap_alloc(8, 1, false);
	}
	for (int i = 0; i < 2000; i++)
		det_heap_free(small[i]);
	CHECK(!is_resident(small[200]));
	CHECK(!is_resident(small[1800]));
	CHECK(is_resident(keep));
	CHECK_SAME(det_heap_state(keep), DET_HEAP_LIVE);
	CHECK_SAME(det_heap_state(small[200]), DET_HEAP_FREED);
	CHECK(det_heap_is_freed((uintptr_t)small[200], 8));

	uint8_t *big = det_heap_alloc(64 << 20, 1, false);
	memset(big, 4, 64 << 20);
	CHECK(det_heap_alloc(70000, 1, false) != NULL);
	det_heap_free(big);
	for (size_t at = 65536; at < 63 << 20; at += 1 << 20)
		CHECK(!is_resident(big + at));
	CHECK(det_heap_is_freed((uintptr_t)big + (32 << 20), 1));
}

/* Unknown threads get memory, too, but not from the part for the program. */
static void unknown(void)
{
	thread_buffer_self.known = false;
	thread_buffer_self.stream = 0;
	uint8_t *block = det_heap_alloc(8, 1, false);
	CHECK_SAME(thread_at((uintptr_t)block), 0);
	CHECK_SAME(part_of(region_of(0), (uintptr_t)block), PART_FOREIGN);
	be_thread(DET_HEAP_THREADS);
	CHECK(det_heap_alloc(8, 1, false) == NULL);
	CHECK(det_heap_private(DET_HEAP_THREADS) == NULL);
	CHECK(det_heap_stack(DET_HEAP_THREADS, 65536, 4096) == NULL);
}

static void *see_stack(void *out)
{
	*(uintptr_t *)out = (uintptr_t)__builtin_frame_address(0);
	return NULL;
}

static uintptr_t stack_of(const pthread_attr_t *attributes)
{
	pthread_t thread;
	uintptr_t seen = 0;

	CHECK_SAME(pthread_create(&thread, attributes, see_stack, &seen), 0);
	CHECK_SAME(pthread_join(thread, NULL), 0);
	return seen;
}

static bool can_be_read(const void *address)
{
	int pipes[2];

	CHECK_SAME(pipe(pipes), 0);
	bool can = write(pipes[1], address, 1) == 1;
	CHECK(can || errno == EFAULT);
	close(pipes[0]);
	close(pipes[1]);
	return can;
}

static void stacks(void)
{
	pthread_attr_t asked, own;
	size_t bytes;

	CHECK(det_heap_stack_attributes(9, NULL, &own));
	uintptr_t first = stack_of(&own);
	CHECK(det_heap_contains(first));
	CHECK(!det_heap_is_freed(first, 8));
	CHECK(det_heap_stack_attributes(10, NULL, &own));
	CHECK_SAME(stack_of(&own) - first, DET_HEAP_STACK_BYTES);
	det_heap_stack_done(9);
	CHECK(det_heap_stack_attributes(9, NULL, &own));
	CHECK_SAME(stack_of(&own), first);

	pthread_attr_init(&asked);
	pthread_attr_setstacksize(&asked, 1 << 20);
	pthread_attr_setguardsize(&asked, 8192);
	CHECK(det_heap_stack_attributes(11, &asked, &own));
	pthread_attr_getstacksize(&own, &bytes);
	CHECK_SAME(bytes, 1 << 20);
	CHECK(stack_of(&own) != 0);
	/* a large stack is in the thread's own region */
	pthread_attr_setstacksize(&asked, 100 << 20);
	CHECK(det_heap_stack_attributes(12, &asked, &own));
	CHECK_SAME(thread_at(stack_of(&own)), 12);
	det_heap_stack_done(12);
	pthread_attr_setstacksize(&asked, (size_t)1 << 30); /* too large for any region */
	CHECK(!det_heap_stack_attributes(12, &asked, &own));
	/* the program's own memory */
	pthread_attr_setstack(&asked, det_heap_stack(13, 1 << 20, 0), 1 << 20);
	CHECK(!det_heap_stack_attributes(12, &asked, &own));
	CHECK(!det_heap_stack_attributes(0, NULL, &own)); /* main already has a stack */

	/*
	 * A stack of another size at the same address: the guard of the old stack must not be a
	 * hole in the new one.
	 */
	CHECK(det_heap_stack(14, 65536, 4096) != NULL);
	uint8_t *low = det_heap_stack(14, 1 << 20, 4096);
	memset(low, 5, 1 << 20);
	CHECK(can_be_read(low));
	CHECK(!can_be_read(low - 1));
	det_heap_stack_done(14);
	CHECK_SAME(low[5], 0);
}

/* 16 stacks share one guard, below the lowest of them. */
static void shared_guards(void)
{
	det_heap_share_guards();
	uint8_t *low = det_heap_stack(35, 8 << 20, 4096),
		*other = det_heap_stack(36, 8 << 20, 4096);
	CHECK_SAME(other - low, DET_HEAP_STACK_BYTES);
	CHECK(can_be_read(low) && can_be_read(low - 1));
	uint8_t *guard = (uint8_t *)DET_HEAP_STACKS + 32 * DET_HEAP_STACK_BYTES;
	CHECK(!can_be_read(guard));
	CHECK(can_be_read(guard + 4096));
	low = det_heap_stack(37, 50 << 20, 4096); /* a large stack has its own guard */
	CHECK(can_be_read(low) && !can_be_read(low - 1));
	low = det_heap_stack(32, 15 << 20, 4096); /* the largest normal stack is not cut */
	memset(low, 6, 15 << 20);
	CHECK(low > guard + 4096);
	/* the next run uses the stack again, so it is not worth clearing */
	det_heap_stack_done(32);
	CHECK_SAME(low[5], 6);
}

/* All bytes that are not zero are in some extent: persistent runs restore the extents. */
static void extents(void)
{
	struct det_heap_extent list[256];
	unsigned count = det_heap_extents(list, 256);
	uint64_t in_use = 0;

	CHECK(count > 0 && count <= 256);
	CHECK_SAME(det_heap_extents(NULL, 0), count);
	be_thread(1);
	uint8_t *block = det_heap_alloc(16, 1, false);
	det_heap_free(block);
	count = det_heap_extents(list, 256);
	for (unsigned i = 0; i < count; i++) {
		CHECK(list[i].base < list[i].used);
		in_use += (uintptr_t)block >= list[i].base && (uintptr_t)block < list[i].used;
		memset((void *)list[i].base, 0, list[i].used - list[i].base);
	}
	CHECK_SAME(in_use, 1);
	CHECK(!det_heap_is_freed((uintptr_t)block, 1));
	for (uint32_t thread = 0; thread < 16; thread++) {
		struct det_heap_region r = region_of(thread);
		const uint64_t *words = (const uint64_t *)r.base;
		for (size_t i = 0; i < 4096; i++)
			CHECK(words[i] == 0 && freed_words(r)[i] == 0);
	}
}

int main(void)
{
	CHECK(!det_heap_is_freed(DET_HEAP_BASE, 8));
	CHECK(det_heap_private(0) == NULL);
	CHECK(det_heap_start());
	CHECK(det_heap_start());
	CHECK(det_heap_private(0) != NULL);
	by_thread_and_count();
	freed();
	aligned();
	resized();
	given_back();
	unknown();
	stacks();
	shared_guards();
	extents();
	return check_result();
}
