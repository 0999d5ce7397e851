/*
 * Tests the malloc family: results are the same as without the runtime, and the trace has the
 * beginning and end of each block.
 */
// build: -fno-builtin
#include "recorded.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>

#define HEAP EV_ALLOC, EV_FREE, EV_FILL

static void basics(void)
{
	static const char zeros[100];
	void *block, *old;

	free(NULL);
	block = malloc(0);
	CHECK(block != NULL);
	free(block);
	block = calloc(10, 10);
	CHECK_SAME(memcmp(block, zeros, 100), 0);
	CHECK(malloc_usable_size(block) >= 100);
	errno = 80;
	free(block);
	CHECK_SAME(errno, 80);

	block = realloc(NULL, 10);
	strcpy(block, "contents");
	for (size_t size = 20; size < 1 << 20; size *= 2) {
		block = realloc(block, size);
		CHECK(block && !strcmp(block, "contents"));
	}
	old = block;
	errno = 0;
	CHECK(realloc(block, SIZE_MAX / 2) == NULL);
	CHECK_SAME(errno, ENOMEM);
	CHECK(!strcmp(old, "contents"));
	CHECK(realloc(block, 0) == NULL);
}

static volatile size_t huge = SIZE_MAX / 2;

static void refused(void)
{
	errno = 0;
	CHECK(malloc(SIZE_MAX / 2) == NULL);
	CHECK_SAME(errno, ENOMEM);
	errno = 0;
	CHECK(calloc(huge, 3) == NULL);
	CHECK_SAME(errno, ENOMEM);
	errno = 0;
	CHECK(reallocarray(NULL, huge, 3) == NULL);
	CHECK_SAME(errno, ENOMEM);
	errno = 0;
	CHECK(aligned_alloc(64, SIZE_MAX / 2) == NULL);
	CHECK_SAME(errno, ENOMEM);

	void *out = &out;
	errno = 81;
	CHECK_SAME(posix_memalign(&out, 3, 10), EINVAL);
	CHECK_SAME(posix_memalign(&out, 64, SIZE_MAX / 2), ENOMEM);
	CHECK(out == &out);
}

static void aligned(void)
{
	void *blocks[6];

	CHECK_SAME(posix_memalign(&blocks[0], 4096, 10), 0);
	blocks[1] = aligned_alloc(4096, 8192);
	blocks[2] = memalign(4096, 30);
	blocks[3] = valloc(40);
	blocks[4] = pvalloc(50);
	blocks[5] = reallocarray(NULL, 3, 20);
	for (int i = 0; i < 6; i++) {
		CHECK(blocks[i] && (i == 5 || (uintptr_t)blocks[i] % 4096 == 0));
		free(blocks[i]);
	}
}

static void check_sizes(const struct recorded *r)
{
	static const size_t sizes[] = { 10, 8192, 30, 40, 50, 60 };

	for (size_t i = 0; i < 6; i++) {
		CHECK_SAME(recorded_find(r, EV_ALLOC, i)->f.n, sizes[i]);
		CHECK_SAME(recorded_find(r, EV_FREE, i)->f.a, recorded_find(r, EV_ALLOC, i)->f.a);
	}
}

/* ---- in time, no two blocks overlap ---- */

static void *churn(void *unused)
{
	void *blocks[16] = { 0 };
	unsigned random = (unsigned)(uintptr_t)&blocks;

	for (int i = 0; i < 4000; i++) {
		random = random * 1103515245 + 12345;
		void **block = &blocks[random >> 16 & 15];
		if (random >> 20 & 1)
			*block = realloc(*block, 1 + (random >> 21 & 511));
		else {
			free(*block);
			*block = NULL;
		}
	}
	for (int i = 0; i < 16; i++)
		free(blocks[i]);
	return unused;
}

static void churning(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static int by_time(const void *left, const void *right)
{
	const struct recorded_event *a = left, *b = right;

	return a->f.t < b->f.t ? -1 : a->f.t > b->f.t;
}

static void check_churning(struct recorded *r)
{
	struct recorded_event live[64];
	size_t count = 0, seen = 0;

	qsort(r->events, r->count, sizeof(*r->events), by_time);
	for (size_t i = 0; i < r->count; i++) {
		const struct recorded_event *e = &r->events[i];
		if (e->stream == 0 || (e->kind != EV_ALLOC && e->kind != EV_FREE))
			continue;
		seen++;
		bool found = false;
		for (size_t k = 0; k < count; k++) {
			if (e->kind == EV_ALLOC)
				CHECK(e->f.a + e->f.n <= live[k].f.a ||
				      live[k].f.a + live[k].f.n <= e->f.a);
			else if (live[k].f.a == e->f.a) {
				live[k--] = live[--count];
				found = true;
			}
		}
		CHECK(e->kind == EV_ALLOC || found);
		if (e->kind == EV_ALLOC && count < 64)
			live[count++] = *e;
	}
	CHECK_SAME(count, 0);
	CHECK(seen > 6000);
}

int main(void)
{
	struct recorded r = recorded_run(basics);
	CHECK_RAN(r);
	if (r.on) {
		const struct recorded_event *fill = recorded_find(&r, EV_FILL, 0);
		CHECK_SAME(fill->f.a, recorded_find(&r, EV_ALLOC, 1)->f.a);
		CHECK_SAME(fill->f.n, 100);
		size_t allocs = 0, frees = 0;
		for (size_t i = 0; i < r.count; i++) {
			allocs += r.events[i].kind == EV_ALLOC;
			frees += r.events[i].kind == EV_FREE;
		}
		CHECK_SAME(allocs, frees);
	}
	r = recorded_run(refused);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "", HEAP);
	r = recorded_run(aligned);
	CHECK_RAN(r);
	if (r.on)
		check_sizes(&r);
	r = recorded_run(churning);
	CHECK_RAN(r);
	if (r.on)
		check_churning(&r);
	return check_result();
}
