/*
 * The pool of chunks (see ring.h): a lock-free stack of free chunks, in extents that are mapped
 * when they are needed, and the batches, which are mapped separately.
 */
#include "runtime/log/ring.h"

#include "runtime/log/file_io.h"
#include "runtime/host/backoff.h"
#include "runtime/host/signal_mask.h"
#include "runtime/server/snapshot.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The pool grows by extents of 8 chunks: small enough that a program with two threads needs half a
 * megabyte of address space, large enough that 500 threads need 63 system calls.
 */
#define EXTENT_CHUNKS 8u
#define EXTENTS_MAX 8192u
#define NO_CHUNK UINT32_MAX

/* A batch has one megabyte. When all batches are taken, other busy threads write single chunks. */
#define BATCHES_MAX 64u

/*
 * The distance of chunks that are never read. It is not a multiple of 64 KiB, because each thread
 * uses only the first few hundred bytes of its chunk, and at such a distance they would all compete
 * for the same cache lines.
 */
#define PRIVATE_STRIDE (WIRE_CHUNK + 4096u + 320u)
#define EXTENT_BYTES ((size_t)EXTENT_CHUNKS * PRIVATE_STRIDE)
#define PRIVATE_EXTENTS 1024u
#define FIRST_EXTENTS 16u

/*
 * All variables that change when chunks are taken and returned are in one struct, because
 * persistent runs restore whole pages.
 */
static struct file_io_file disk; /* not restored, so not in the struct */

static struct {
	char path[4096];
	uint8_t *extent[EXTENTS_MAX];
	uint8_t *private; /* chunks that are never read; NULL: chunks are in the file */
	atomic_flag growing;
	_Atomic uint32_t extents;
	/* tag << 32 | index of the first free chunk; the tag prevents ABA problems */
	_Atomic uint64_t free;
	_Atomic uint32_t in_use;
	uint64_t end; /* end of the mapped part of the file */
	uint8_t *batch[BATCHES_MAX];
	uint32_t batches;
	_Atomic uint64_t batches_out; /* one bit per batch: taken, or not mapped */
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

static void push_free_chunk(uint32_t index)
{
	uint64_t head = atomic_load(&ring.free);
	uint64_t mine;

	do {
		atomic_store_explicit(&ring.next[index], (uint32_t)head, memory_order_relaxed);
		mine = ((head >> 32) + 1) << 32 | index;
	} while (!atomic_compare_exchange_weak(&ring.free, &head, mine));
}

/* Adds the chunks of a new extent to the stack, the first one on top. */
static void add_extent(uint32_t number, uint8_t *map)
{
	ring.extent[number] = map;
	ring.extents = number + 1;
	for (uint32_t i = EXTENT_CHUNKS; i-- > 0;)
		push_free_chunk(number * EXTENT_CHUNKS + i);
}

static uint32_t pop_free_chunk(void)
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
 * Reserves the memory for chunks that are never read. It is one mapping, so that a fork copies only
 * one mapping, and persistent runs, which restore all other memory, can exclude it from that. The
 * first extents are added at the start.
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
	atomic_store(&ring.batches_out, UINT64_MAX);
	if (!dir)
		return open_private();
	snprintf(ring.path, sizeof(ring.path), "%s/ring", dir);
	int fd = file_io_use(&disk, ring.path, O_RDWR | O_CREAT | O_TRUNC);
	file_io_done(&disk, fd);
	return fd >= 0;
}

/* Maps `count` more chunks of the file. The caller holds `growing`, with all signals blocked. */
static uint8_t *map_chunks(unsigned count)
{
	const size_t bytes = (size_t)count * WIRE_CHUNK;
	uint8_t *map = MAP_FAILED;
	int fd = file_io_use(&disk, ring.path, O_RDWR);

	if (fd < 0)
		return NULL;
	if (file_io_allocate(fd, ring.end, bytes))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)ring.end);
	file_io_done(&disk, fd);
	if (map == MAP_FAILED)
		return NULL;
	ring.end += bytes;
	return map;
}

static struct signal_mask start_growing(void)
{
	struct signal_mask before = signal_mask_all();

	for (unsigned tries = 0; atomic_flag_test_and_set(&ring.growing); tries++)
		backoff(tries);
	return before;
}

static void end_growing(struct signal_mask before)
{
	atomic_flag_clear(&ring.growing);
	signal_mask_restore(before);
}

static uint8_t *new_extent(uint32_t number)
{
	if (number >= EXTENTS_MAX)
		return NULL;
	if (!ring.private)
		return map_chunks(EXTENT_CHUNKS);
	return number < PRIVATE_EXTENTS ? ring.private + number * EXTENT_BYTES : NULL;
}

static bool add_chunks(void)
{
	struct signal_mask before = start_growing();
	bool ok = true;

	if ((uint32_t)atomic_load(&ring.free) == NO_CHUNK) {
		uint32_t number = ring.extents;
		uint8_t *map = new_extent(number);
		ok = map != NULL;
		if (ok)
			add_extent(number, map);
	}
	end_growing(before);
	return ok;
}

struct wire_block *ring_take(void)
{
	for (;;) {
		uint32_t index = pop_free_chunk();
		if (index != NO_CHUNK) {
			ring.in_use++;
			struct wire_block *chunk = chunk_at(index);
			*chunk = (struct wire_block){ .spare = 0 };
			chunk->base = (uint64_t)chunk;
			return chunk;
		}
		if (!add_chunks())
			return NULL;
	}
}

static void give_chunk(struct wire_block *chunk, uint32_t index)
{
	chunk->flags = 0;
	ring.in_use--;
	push_free_chunk(index);
}

void ring_give(struct wire_block *chunk)
{
	/*
	 * This must be fast, because threads may last only a microsecond. All chunks are in one
	 * reservation.
	 */
	if (ring.private) {
		give_chunk(chunk,
			   (uint32_t)((size_t)((uint8_t *)chunk - ring.private) / PRIVATE_STRIDE));
		return;
	}
	for (uint32_t e = 0; e < ring.extents; e++) {
		size_t offset = (size_t)((uint8_t *)chunk - ring.extent[e]);
		if (offset < EXTENT_CHUNKS * WIRE_CHUNK) {
			give_chunk(chunk, e * EXTENT_CHUNKS + (uint32_t)(offset / WIRE_CHUNK));
			return;
		}
	}
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool add_batch(void)
{
	struct signal_mask before = start_growing();
	uint8_t *map = ring.batches < BATCHES_MAX ? map_chunks(RING_BATCH) : NULL;

	if (map) {
		ring.batch[ring.batches] = map;
		atomic_fetch_and(&ring.batches_out, ~(1ull << ring.batches++));
	}
	end_growing(before);
	return map != NULL;
}

struct wire_block *ring_take_batch(void)
{
	uint64_t out = atomic_load(&ring.batches_out);

	if (ring.private)
		return NULL;
	for (;;) {
		if (out == UINT64_MAX) {
			if (!add_batch())
				return NULL;
			out = atomic_load(&ring.batches_out);
			continue;
		}
		unsigned number = (unsigned)__builtin_ctzll(~out);
		if (atomic_compare_exchange_weak(&ring.batches_out, &out, out | 1ull << number)) {
			ring.in_use++;
			return (struct wire_block *)ring.batch[number];
		}
	}
}

void ring_give_batch(struct wire_block *first)
{
	for (unsigned i = 0; i < BATCHES_MAX; i++) {
		if (ring.batch[i] == (uint8_t *)first) {
			ring.in_use--;
			atomic_fetch_and(&ring.batches_out, ~(1ull << i));
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

static void forget_private(void)
{
	if (ring.private)
		munmap(ring.private, PRIVATE_EXTENTS * EXTENT_BYTES);
}

void ring_forget(void)
{
	forget_private();
	file_io_forget(&disk);
	for (uint32_t e = 0; e < ring.extents && !ring.private; e++)
		munmap(ring.extent[e], (size_t)EXTENT_CHUNKS * WIRE_CHUNK);
	for (uint32_t i = 0; i < ring.batches; i++) {
		munmap(ring.batch[i], (size_t)RING_BATCH * WIRE_CHUNK);
		ring.batch[i] = NULL;
	}
	ring.batches = 0;
	ring.end = 0;
	atomic_store(&ring.batches_out, UINT64_MAX);
	ring.private = NULL;
	ring.extents = 0;
	ring.in_use = 0;
	atomic_flag_clear(&ring.growing);
	atomic_store(&ring.free, NO_CHUNK);
}
