/*
 * Learns from /proc/self/pagemap which pages a run has written. After a fork, a page that only the
 * child maps was written by the child.
 */
#include "runtime/server/prefault.h"

#include "runtime/host/maps.h"
#include "runtime/sched/det_heap.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define PAGES_MOST 16384u
#define REGIONS_MOST 256u
#define REGION_BYTES_MOST (256ul << 20) /* larger regions are not scanned */
#define STACK_PAGES 4ul
#define THREADS_MOST 1024u

/* Shared by the server and its children. */
static struct written {
	uint32_t count;
	uintptr_t pages[PAGES_MOST];
} * written;

/*
 * Memory that the server has mapped. Memory that a run has mapped is left out: it does not exist in
 * other runs.
 */
static struct {
	uintptr_t low, high;
} regions[REGIONS_MOST];
static unsigned region_count;

static bool add_region(const struct maps_entry *entry, void *unused)
{
	(void)unused;
	if (entry->writable && entry->private && region_count < REGIONS_MOST &&
	    entry->high - entry->low <= REGION_BYTES_MOST) {
		regions[region_count].low = entry->low;
		regions[region_count++].high = entry->high;
	}
	return true;
}

void prefault_start(void)
{
	written = mmap(NULL, sizeof(*written), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (written == MAP_FAILED)
		written = NULL;
	maps_each(add_region, NULL);
}

/* ---- learning which pages runs write --------------------------------------------------------- */

/* Bits of an entry of /proc/self/pagemap. */
#define PRESENT (1ull << 63)
#define SHARED (1ull << 61)
/* mapped by one process only: after a fork, because it was written */
#define EXCLUSIVE (1ull << 56)

static void learn_range(int pagemap, uintptr_t low, uintptr_t high)
{
	uint64_t entries[512];

	for (uintptr_t at = low; at < high; at += sizeof(entries) / 8 * PAGE) {
		ssize_t got = pread(pagemap, entries, sizeof(entries), (off_t)(at / PAGE * 8));
		for (ssize_t i = 0; i < got / 8 && at + (uintptr_t)i * PAGE < high; i++) {
			if ((entries[i] & (PRESENT | SHARED | EXCLUSIVE)) ==
				    (PRESENT | EXCLUSIVE) &&
			    written->count < PAGES_MOST)
				written->pages[written->count++] = at + (uintptr_t)i * PAGE;
		}
	}
}

void prefault_learn(uint32_t threads)
{
	int pagemap = written ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;

	if (pagemap < 0)
		return;
	written->count = 0;
	for (unsigned i = 0; i < region_count; i++)
		learn_range(pagemap, regions[i].low, regions[i].high);
	/* A stack ends where the runtime's private memory for its thread begins. */
	for (uint32_t i = 0; i < threads && i < THREADS_MOST; i++) {
		uintptr_t top = (uintptr_t)det_heap_private(i);
		if (top)
			learn_range(pagemap, i ? top - STACK_PAGES * PAGE : top, top + PAGE);
	}
	struct det_heap_extent heap[64];
	unsigned count = det_heap_extents(heap, 64);
	for (unsigned i = 0; i < count && i < 64; i++) {
		uintptr_t low = heap[i].base & ~(PAGE - 1);
		if (heap[i].used - low < REGION_BYTES_MOST)
			learn_range(pagemap, low, heap[i].used);
	}
	close(pagemap);
}

void prefault_write_pages(void)
{
	for (uint32_t i = 0; written && i < written->count; i++)
		atomic_fetch_or((_Atomic uint8_t *)written->pages[i], 0);
}
