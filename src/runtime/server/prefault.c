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
#define REGION_BYTES_MOST (256ul << 20) /* larger ones are not looked through */
#define STACK_PAGES 4ul
#define EACH_THREAD_MOST 1024u

/* Shared by the server and its children. */
static struct touched {
	uint32_t count;
	uintptr_t pages[PAGES_MOST];
} * touched;

/* What the server has mapped: a page that a run mapped for itself is not there for others. */
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
	touched = mmap(NULL, sizeof(*touched), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (touched == MAP_FAILED)
		touched = NULL;
	maps_each(add_region, NULL);
}

/* ---- learning ----------------------------------------------------------------------------- */

/* Bits of an entry of /proc/self/pagemap. */
#define PRESENT (1ull << 63)
#define SHARED (1ull << 61)
#define ALONE (1ull << 56) /* mapped by nobody else: after a fork, by writing to it */

static void learn_range(int pagemap, uintptr_t low, uintptr_t high)
{
	uint64_t entries[512];

	for (uintptr_t at = low; at < high; at += sizeof(entries) / 8 * PAGE) {
		ssize_t got = pread(pagemap, entries, sizeof(entries), (off_t)(at / PAGE * 8));
		for (ssize_t i = 0; i < got / 8 && at + (uintptr_t)i * PAGE < high; i++) {
			if ((entries[i] & (PRESENT | SHARED | ALONE)) == (PRESENT | ALONE) &&
			    touched->count < PAGES_MOST)
				touched->pages[touched->count++] = at + (uintptr_t)i * PAGE;
		}
	}
}

void prefault_learn(uint32_t threads)
{
	int pagemap = touched ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;

	if (pagemap < 0)
		return;
	touched->count = 0;
	for (unsigned i = 0; i < region_count; i++)
		learn_range(pagemap, regions[i].low, regions[i].high);
	/* Stacks end where the runtime's own part of a thread's memory begins. */
	for (uint32_t i = 0; i < threads && i < EACH_THREAD_MOST; i++) {
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

void prefault_all(void)
{
	for (uint32_t i = 0; touched && i < touched->count; i++)
		atomic_fetch_or((_Atomic uint8_t *)touched->pages[i], 0);
}
