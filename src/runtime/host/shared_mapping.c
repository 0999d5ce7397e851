/*
 * Identifies objects by what is mapped: device, inode and offset. A table has the shared mappings
 * of files, in pieces. The first mapping of some bytes gives them their identity: the addresses
 * that they have there. A piece of a later mapping of the same bytes has the distance to these
 * addresses.
 *
 * A mapping that ends leaves the table, but its addresses stay the identity of its bytes as long as
 * others have them mapped. If the program maps something else there, the objects in that get
 * made-up addresses (IDENTITY_AWAY).
 *
 * Writers hold a lock. Readers hold none, because they may be signal handlers: they look again if
 * the table has changed in the meantime. Nothing waits for ever, since the writer may be the
 * interrupted thread. Beyond PIECES the table is full, and what is mapped then counts as mapped
 * once.
 */
#include "runtime/host/shared_mapping.h"

#include "runtime/host/backoff.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PIECES 256u
#define TRIES 1000
#define IDENTITY_AWAY (1ull << 56) /* no address of a program is as high */

struct piece {
	uint64_t start, size; /* size 0: not used */
	uint64_t distance;    /* identity minus address */
	dev_t device;
	ino_t inode;
	uint64_t offset;
};

static struct piece pieces[PIECES];
static uint32_t piece_count; /* used or once used */
static uint64_t away = IDENTITY_AWAY;
static _Atomic uint32_t version; /* odd while a writer is at work */
bool shared_mapping_any;

/* ---- readers --------------------------------------------------------------------------------- */

static uint64_t identity_in_table(uint64_t address)
{
	for (uint32_t i = 0; i < piece_count; i++)
		if (address - pieces[i].start < pieces[i].size)
			return address + pieces[i].distance;
	return address;
}

uint64_t shared_mapping_find(uint64_t address)
{
	uint64_t identity = address;

	for (int i = 0; i < TRIES; i++) {
		uint32_t before = atomic_load_explicit(&version, memory_order_acquire);
		identity = identity_in_table(address);
		atomic_thread_fence(memory_order_acquire);
		if (before % 2 == 0 &&
		    atomic_load_explicit(&version, memory_order_relaxed) == before)
			break;
	}
	return identity;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

bool shared_mapping_names(const void *address, size_t size)
{
	for (uint32_t i = 0; shared_mapping_any && i < piece_count; i++) {
		const struct piece *p = &pieces[i];
		if (p->distance &&
		    overlap((uintptr_t)address, size, p->start + p->distance, p->size))
			return true;
	}
	return false;
}

/* ---- writers --------------------------------------------------------------------------------- */

/* Fails if another writer never ends: it may be the interrupted thread, or gone after a fork. */
static bool begin_change(void)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t even = atomic_load(&version) & ~1u;
		if (atomic_compare_exchange_strong(&version, &even, even + 1))
			return true;
		backoff(i);
	}
	return false;
}

static void end_change(void)
{
	atomic_fetch_add(&version, 1);
}

static void add_piece(const struct piece *new)
{
	for (uint32_t i = 0; i < PIECES; i++) {
		if (pieces[i].size)
			continue;
		pieces[i] = *new;
		if (i >= piece_count)
			piece_count = i + 1;
		if (new->distance)
			shared_mapping_any = true;
		return;
	}
}

/* Removes a range from a piece: a part of the piece may remain before it, after it, or both. */
static void cut_piece(struct piece *p, uint64_t start, uint64_t end)
{
	struct piece rest = *p;

	p->size = start > p->start ? start - p->start : 0;
	if (end >= rest.start + rest.size)
		return;
	rest.size -= end - rest.start;
	rest.offset += end - rest.start;
	rest.start = end;
	add_piece(&rest);
}

static void cut_range(uint64_t start, uint64_t size)
{
	uint32_t count = piece_count;

	for (uint32_t i = 0; i < count; i++)
		if (pieces[i].size && overlap(start, size, pieces[i].start, pieces[i].size))
			cut_piece(&pieces[i], start, start + size);
}

void shared_mapping_remove(const void *address, size_t size)
{
	if (!piece_count || !begin_change())
		return;
	cut_range((uintptr_t)address, size);
	end_change();
}

/*
 * Finds which piece maps the first bytes of `new`, if any, and shortens `new` to the bytes that
 * have the same answer.
 */
static const struct piece *find_same_bytes(struct piece *new)
{
	const struct piece *found = NULL;

	for (uint32_t i = 0; i < piece_count; i++) {
		const struct piece *p = &pieces[i];
		if (!p->size || p->device != new->device || p->inode != new->inode)
			continue;
		uint64_t end = p->offset + p->size;
		if (new->offset >= p->offset &&new->offset < end) {
			found = p;
			if (new->offset + new->size > end)
				new->size = end - new->offset;
		} else if (p->offset > new->offset && p->offset < new->offset + new->size) {
			new->size = p->offset - new->offset;
		}
	}
	return found;
}

static void add_mapping(struct piece all)
{
	uint64_t end = all.start + all.size;

	while (all.start < end) {
		struct piece new = all;
		new.size = end - all.start;
		const struct piece *same = find_same_bytes(&new);
		if (same)
			new.distance = same->start + same->distance + (new.offset - same->offset) -
				       new.start;
		else if (shared_mapping_names((void *)new.start, new.size))
			new.distance = (away += new.size) - new.start;
		add_piece(&new);
		all.start += new.size;
		all.offset += new.size;
	}
}

void shared_mapping_add(const void *address, size_t size, int flags, int fd, off_t offset)
{
	int error = errno, type = flags & MAP_TYPE;
	bool shared = type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
	struct stat about;

	if (!shared || flags & MAP_ANONYMOUS || fstat(fd, &about) != 0) {
		shared_mapping_remove(address, size);
	} else if (begin_change()) {
		cut_range((uintptr_t)address, size);
		add_mapping((struct piece){ .start = (uintptr_t)address,
					    .size = size,
					    .device = about.st_dev,
					    .inode = about.st_ino,
					    .offset = (uint64_t)offset });
		end_change();
	}
	errno = error;
}
