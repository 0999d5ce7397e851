#include "runtime/ring.h"

#include "runtime/disk.h"
#include "runtime/mask.h"
#include "runtime/snapshot.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The pool grows by extents of 8 chunks: small enough that a program of two threads costs half a
 * megabyte of address space, large enough that 500 threads take 63 system calls.
 */
#define EXTENT_CHUNKS 8u
#define EXTENTS_MAX 8192u
#define NO_CHUNK UINT32_MAX

/*
 * Chunks that nobody reads lie a little apart: multiples of 64 KiB, of which each thread uses the
 * first few hundred bytes, would all compete for the same lines of the caches.
 */
#define PRIVATE_STRIDE (WIRE_CHUNK + 4096u + 320u)
#define EXTENT_BYTES ((size_t)EXTENT_CHUNKS * PRIVATE_STRIDE)
#define PRIVATE_EXTENTS 1024u
#define FIRST_EXTENTS 16u

/* What changes when chunks are taken and given lies together: persistent runs restore whole pages. */
static struct disk_file disk; /* not restored with the rest */

static struct {
	char path[4096];
	uint8_t *extent[EXTENTS_MAX];
	uint8_t *private; /* where chunks come from that nobody will read; NULL: from the file */
	atomic_flag growing;
	_Atomic uint32_t extents;
	_Atomic uint64_t free; /* tag << 32 | index of the first free chunk; the tag defeats ABA */
	_Atomic uint32_t in_use;
	_Atomic uint32_t next[EXTENTS_MAX * EXTENT_CHUNKS];
} ring;

static size_t stride(void)
{
	return ring.private ? PRIVATE_STRIDE : WIRE_CHUNK;
}

static struct wire_block *chunk_at(uint32_t index)
{
	uint8_t *extent = ring.extent[index / EXTENT_CHUNKS];
	return (struct wire_block *)(extent + (index % EXTENT_CHUNKS) * stride());
}

static void push(uint32_t index)
{
	uint64_t head = atomic_load(&ring.free);
	uint64_t mine;

	do {
		atomic_store_explicit(&ring.next[index], (uint32_t)head, memory_order_relaxed);
		mine = ((head >> 32) + 1) << 32 | index;
	} while (!atomic_compare_exchange_weak(&ring.free, &head, mine));
}

/* Its chunks are handed out from the first. */
static void add_extent(uint32_t number, uint8_t *map)
{
	ring.extent[number] = map;
	ring.extents = number + 1;
	for (uint32_t i = EXTENT_CHUNKS; i-- > 0;)
		push(number * EXTENT_CHUNKS + i);
}

static uint32_t pop(void)
{
	uint64_t head = atomic_load(&ring.free);
	uint64_t rest;

	do {
		if ((uint32_t)head == NO_CHUNK)
			return NO_CHUNK;
		rest = ((head >> 32) + 1) << 32 |
		       atomic_load_explicit(&ring.next[(uint32_t)head], memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&ring.free, &head, rest));
	return (uint32_t)head;
}

/*
 * Chunks that nobody will read: of one reservation, so that fork copies one mapping, and persistent
 * runs, whose memory is restored but for this, find it again. The first are there from the start.
 */
static bool open_private(void)
{
	const size_t bytes = (size_t)PRIVATE_EXTENTS * EXTENT_BYTES;

	ring.private = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring.private == MAP_FAILED)
		return false;
	madvise(ring.private, bytes, MADV_NOHUGEPAGE);
	snapshot_exclude(ring.private, bytes);
	for (unsigned i = 0; i < FIRST_EXTENTS; i++)
		add_extent(i, ring.private + i * EXTENT_BYTES);
	return true;
}

bool ring_open(const char *dir)
{
	atomic_store(&ring.free, NO_CHUNK);
	if (!dir)
		return open_private();
	snprintf(ring.path, sizeof(ring.path), "%s/ring", dir);
	int fd = disk_use(&disk, ring.path, O_RDWR | O_CREAT | O_TRUNC);
	disk_done(&disk, fd);
	return fd >= 0;
}

/* One more extent. The caller holds `growing` with all signals blocked. */
static uint8_t *map_extent(uint32_t number)
{
	const size_t bytes = (size_t)EXTENT_CHUNKS * WIRE_CHUNK;
	off_t at = (off_t)number * (off_t)bytes;

	if (ring.private)
		return number < PRIVATE_EXTENTS ? ring.private + number * EXTENT_BYTES : NULL;
	int fd = disk_use(&disk, ring.path, O_RDWR);
	if (fd < 0)
		return NULL;
	uint8_t *map = MAP_FAILED;
	if (disk_allocate(fd, (uint64_t)at, bytes))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	disk_done(&disk, fd);
	return map == MAP_FAILED ? NULL : map;
}

static bool grow(void)
{
	struct mask before = mask_all();
	bool ok = true;

	while (atomic_flag_test_and_set(&ring.growing))
		sched_yield();
	if ((uint32_t)atomic_load(&ring.free) == NO_CHUNK) {
		uint32_t number = ring.extents;
		uint8_t *map = number < EXTENTS_MAX ? map_extent(number) : NULL;
		ok = map != NULL;
		if (ok)
			add_extent(number, map);
	}
	atomic_flag_clear(&ring.growing);
	mask_restore(before);
	return ok;
}

struct wire_block *ring_take(void)
{
	for (;;) {
		uint32_t index = pop();
		if (index != NO_CHUNK) {
			ring.in_use++;
			struct wire_block *chunk = chunk_at(index);
			*chunk = (struct wire_block){ .spare = 0 };
			chunk->base = (uint64_t)chunk;
			return chunk;
		}
		if (!grow())
			return NULL;
	}
}

static void give(struct wire_block *chunk, uint32_t index)
{
	chunk->flags = 0;
	ring.in_use--;
	push(index);
}

void ring_give(struct wire_block *chunk)
{
	if (ring.private) { /* one reservation, and a thread may be a matter of a microsecond */
		give(chunk, (uint32_t)((size_t)((uint8_t *)chunk - ring.private) / PRIVATE_STRIDE));
		return;
	}
	for (uint32_t e = 0; e < ring.extents; e++) {
		size_t offset = (size_t)((uint8_t *)chunk - ring.extent[e]);
		if (offset < EXTENT_CHUNKS * WIRE_CHUNK) {
			give(chunk, e * EXTENT_CHUNKS + (uint32_t)(offset / WIRE_CHUNK));
			return;
		}
	}
}

bool ring_in_use(void)
{
	return ring.in_use > 0;
}

void ring_remove(void)
{
	unlink(ring.path);
}

void ring_forget(void)
{
	if (ring.private)
		munmap(ring.private, PRIVATE_EXTENTS * EXTENT_BYTES);
	disk_forget(&disk);
	for (uint32_t e = 0; e < ring.extents && !ring.private; e++)
		munmap(ring.extent[e], (size_t)EXTENT_CHUNKS * WIRE_CHUNK);
	ring.private = NULL;
	ring.extents = 0;
	ring.in_use = 0;
	atomic_flag_clear(&ring.growing);
	atomic_store(&ring.free, NO_CHUNK);
}
