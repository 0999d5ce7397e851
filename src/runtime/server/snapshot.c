/*
 * How the pages that a run has written are found. The cost of a persistent run depends on this:
 * - Comparing all pages with their copies takes 120 ns a page (50 to 100 µs for a small program in
 *   C++).
 * - Soft-dirty bits take a fault for each page that a run writes (1.5 µs).
 * - Here, a page is write-protected once, at the snapshot, asynchronously: the kernel lets the
 *   first write pass and remembers the page (UFFD_FEATURE_WP_ASYNC, Linux 6.7), even if the kernel
 *   itself writes. From then on the page is copied back after each run, whether that run wrote it
 *   or not. So the faults end after some runs, and what remains is a copy of 4 KiB for each page,
 *   20 pages in 2.5 µs.
 *
 * We ask the kernel for the written pages only if there were faults: a scan of a thousand pages
 * takes 5 µs. Without kernel support, pages are compared.
 */
#include "runtime/server/snapshot.h"

#include "event/control.h"
#include "runtime/host/maps.h"
#include "runtime/sched/det_heap.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define REGIONS_MOST 512u
#define EXCLUDED_MOST 64u
#define CLUSTERS_MOST 16u
#define CLUSTER_GAP                                                                                \
	(64ul << 20) /* regions that are nearer to each other are scanned with one system call */
#define RANGES 64u
#define WRITTEN_MOST 4096u

/* from linux/fs.h and linux/userfaultfd.h of Linux 6.7 */
struct page_range {
	uint64_t start, end, categories;
};
struct page_scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGE_SCAN _IOWR('f', 16, struct page_scan)
#define SCAN_WRITTEN 2ul
#define SCAN_PROTECTED 1ul
#define FEATURE_ASYNC (1ul << 15)
#define FEATURE_UNPOPULATED (1ul << 13)
#define USER_MODE_ONLY 1

struct snapshot_region {
	uintptr_t low, high;
	bool is_file;
	uint8_t *copy;
};

struct snapshot_piece {
	uint8_t *to;
	const uint8_t *from;
	size_t bytes;
};

struct cluster {
	uintptr_t low, high;
};

/* Allocated outside our static data, because a restore overwrites that data, too. */
struct snapshot {
	struct snapshot_region regions[REGIONS_MOST]; /* in order of address */
	unsigned region_count;
	struct cluster clusters[CLUSTERS_MOST];
	unsigned cluster_count;
	int scan_fd; /* the pagemap; -1: pages are compared */
	uintptr_t stack_low, stack_high;
	uint8_t *stack_copy;
	struct det_heap_extent *heap, *heap_now; /* extents before main; at a run's end */
	unsigned heap_count;
	/* page faults of the server's thread until the last search for written pages */
	long faults;
	struct snapshot_piece written[WRITTEN_MOST];
	unsigned written_count;
	struct page_range ranges[RANGES];
};
static struct snapshot *snapshot;

static struct {
	uintptr_t low, high;
} excluded[EXCLUDED_MOST];
static unsigned excluded_count;

void snapshot_exclude(const void *from, size_t bytes)
{
	if (excluded_count < EXCLUDED_MOST) {
		excluded[excluded_count].low = (uintptr_t)from & ~(PAGE - 1);
		excluded[excluded_count++].high =
			((uintptr_t)from + bytes + PAGE - 1) & ~(PAGE - 1);
	}
}

void *snapshot_lasting(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	snapshot_exclude(at, bytes);
	return at;
}

/* ---- regions of memory ----------------------------------------------------------------------- */

/*
 * Adds a range without its excluded parts. The kernel may have merged excluded mappings with
 * others: then several regions remain.
 */
static bool add_region(uintptr_t low, uintptr_t high, bool is_file)
{
	for (unsigned i = 0; i < excluded_count && low < high; i++) {
		if (excluded[i].high <= low || excluded[i].low >= high)
			continue;
		if (excluded[i].low > low && !add_region(low, excluded[i].low, is_file))
			return false;
		if (excluded[i].high >= high)
			return true;
		return add_region(excluded[i].high, high, is_file);
	}
	if (low >= high)
		return true;
	if (snapshot->region_count == REGIONS_MOST)
		return false;
	snapshot->regions[snapshot->region_count++] =
		(struct snapshot_region){ .low = low, .high = high, .is_file = is_file };
	return true;
}

static bool add_mapping(const struct maps_entry *entry, void *unused)
{
	(void)unused;
	if (entry->is_stack)
		snapshot->stack_high = entry->high;
	else if (entry->writable && entry->private && !det_heap_contains(entry->low))
		return add_region(entry->low, entry->high, entry->is_file);
	return true;
}

/* ---- the deterministic heap ------------------------------------------------------------------ */

#define EXTENTS_MOST (6u * CONTROL_THREADS)

static uintptr_t page_up(uintptr_t address)
{
	return (address + PAGE - 1) & ~(PAGE - 1);
}

/* Adds the heap's memory that was allocated before main to the regions. */
static bool save_heap(void)
{
	snapshot->heap = snapshot_lasting(EXTENTS_MOST * sizeof(*snapshot->heap));
	snapshot->heap_now = snapshot_lasting(EXTENTS_MOST * sizeof(*snapshot->heap));
	if (!snapshot->heap || !snapshot->heap_now)
		return false;
	snapshot->heap_count = det_heap_extents(snapshot->heap, EXTENTS_MOST);
	for (unsigned i = 0; i < snapshot->heap_count; i++) {
		const struct det_heap_extent *extent = &snapshot->heap[i];
		uintptr_t low = extent->base & ~(PAGE - 1), high = page_up(extent->used);
		/* An extent may begin on the page on which another one ends. */
		for (unsigned k = 0; k < snapshot->region_count; k++) {
			if (low >= snapshot->regions[k].low && low < snapshot->regions[k].high)
				low = snapshot->regions[k].high;
		}
		if (!add_region(low, high, false))
			return false;
	}
	return true;
}

/*
 * Clears the heap's memory that was allocated since main began. Call before the regions are
 * restored, since the first page of that memory may belong to a region. Beyond some size it is
 * cheaper to release the memory.
 */
#define MUCH_MEMORY (1ul << 20)
static void clear_heap(void)
{
	unsigned count = det_heap_extents(snapshot->heap_now, EXTENTS_MOST), before = 0;

	for (unsigned i = 0; i < count && i < EXTENTS_MOST; i++) {
		uintptr_t from = snapshot->heap_now[i].base, to = snapshot->heap_now[i].used;
		if (before < snapshot->heap_count && snapshot->heap[before].base == from)
			from = page_up(snapshot->heap[before++].used);
		if (to > from + MUCH_MEMORY) {
			uintptr_t page = page_up(from);
			syscall(SYS_madvise, page, (to - page) & ~(PAGE - 1), MADV_DONTNEED);
			memset((void *)(to & ~(PAGE - 1)), 0, to % PAGE);
			to = page;
		}
		if (to > from)
			memset((void *)from, 0, to - from);
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const struct snapshot_region *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* ---- copying --------------------------------------------------------------------------------- */

#define ENTRIES 512u
#define TOUCHED (3ul << 62) /* in memory or in the swap */

/*
 * Pages that were never touched are not copied, since the copy is zero, too. So a large array of
 * zeros costs little. Pages of a file are copied, touched or not.
 */
static void copy_region(const struct snapshot_region *region, int pagemap)
{
	uint64_t entries[ENTRIES];
	size_t count = (region->high - region->low) / PAGE;

	for (size_t at = 0; at < count; at++) {
		size_t i = at % ENTRIES;
		off_t offset = (off_t)((region->low / PAGE + at) * sizeof(entries[0]));
		if (i == 0 && (region->is_file || pagemap < 0 ||
			       pread(pagemap, entries, sizeof(entries), offset) <= 0))
			memset(entries, 0xff, sizeof(entries));
		if (entries[i] & TOUCHED)
			memcpy(region->copy + at * PAGE, (void *)(region->low + at * PAGE), PAGE);
	}
}

static bool copy_all(const char **why)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t bytes = 0;

	for (unsigned i = 0; i < snapshot->region_count; i++)
		bytes += snapshot->regions[i].high - snapshot->regions[i].low;
	bytes += snapshot->stack_high - snapshot->stack_low;
	uint8_t *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	*why = "no memory for a copy of the program's memory";
	if (copy == MAP_FAILED)
		return false;
	for (unsigned i = 0; i < snapshot->region_count; i++) {
		struct snapshot_region *region = &snapshot->regions[i];
		region->copy = copy;
		copy += region->high - region->low;
		copy_region(region, pagemap);
	}
	snapshot->stack_copy = copy;
	memcpy(copy, (void *)snapshot->stack_low, snapshot->stack_high - snapshot->stack_low);
	if (pagemap >= 0)
		close(pagemap);
	return true;
}

/* ---- finding written pages ------------------------------------------------------------------- */

static void find_clusters(void)
{
	struct cluster *last = NULL;

	for (unsigned i = 0; i < snapshot->region_count; i++) {
		const struct snapshot_region *region = &snapshot->regions[i];
		if (last && (region->low - last->high < CLUSTER_GAP ||
			     snapshot->cluster_count == CLUSTERS_MOST)) {
			last->high = region->high;
			continue;
		}
		last = &snapshot->clusters[snapshot->cluster_count++];
		*last = (struct cluster){ region->low, region->high };
	}
}

static bool write_protect(int fd, const struct snapshot_region *region)
{
	struct uffdio_range range = { region->low, region->high - region->low };
	struct uffdio_register watch = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect writes = { .range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };

	return ioctl(fd, UFFDIO_REGISTER, &watch) == 0 &&
	       ioctl(fd, UFFDIO_WRITEPROTECT, &writes) == 0;
}

/* Moves a descriptor that stays open far above those that the program gets. */
static int move_descriptor_up(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, SNAPSHOT_FD);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static int watch_writes(void)
{
	struct uffdio_api api = { .api = UFFD_API,
				  .features = FEATURE_ASYNC | FEATURE_UNPOPULATED };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);

	if (fd < 0)
		return -1;
	/* stays open: the kernel tracks writes only until it is closed */
	fd = move_descriptor_up(fd);
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool ok = pagemap >= 0 && ioctl(fd, UFFDIO_API, &api) == 0;
	for (unsigned i = 0; ok && i < snapshot->region_count; i++)
		ok = write_protect(fd, &snapshot->regions[i]);
	if (ok)
		return move_descriptor_up(pagemap);
	close(fd);
	if (pagemap >= 0)
		close(pagemap);
	return -1;
}

bool snapshot_save(const void *stack, const char **why)
{
	snapshot = snapshot_lasting(sizeof(*snapshot));
	*why = "no memory for a snapshot";
	if (!snapshot)
		return false;
	snapshot->stack_low = (uintptr_t)stack;
	*why = "the program's memory is in too many pieces";
	if (!maps_each(add_mapping, NULL) || !save_heap())
		return false;
	qsort(snapshot->regions, snapshot->region_count, sizeof(snapshot->regions[0]),
	      compare_addresses);
	find_clusters();
	if (!copy_all(why))
		return false;
	snapshot->scan_fd = watch_writes();
	return true;
}

/* ---- restoring ------------------------------------------------------------------------------- */

/* A raw system call: the library's would set errno, which is in memory that is being restored. */
static long raw_syscall(long number, long first, long second, void *third)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
}

/* Adds pages that some run has written, with the address of their copies. */
static void add_written(uintptr_t low, uintptr_t high)
{
	const struct snapshot_region *region = snapshot->regions;

	for (uintptr_t at = low; at < high;) {
		while (region->high <= at)
			region++;
		uintptr_t end = high < region->high ? high : region->high;
		if (snapshot->written_count == WRITTEN_MOST) {
			/* there are so many pages that comparing is as fast */
			snapshot->scan_fd = -1;
			return;
		}
		snapshot->written[snapshot->written_count++] =
			(struct snapshot_piece){ (uint8_t *)at, region->copy + (at - region->low),
						 end - at };
		at = end;
	}
}

static bool scan_cluster(const struct cluster *cluster)
{
	struct page_scan job = {
		.size = sizeof(job),
		.start = cluster->low,
		.end = cluster->high,
		.vec = (uintptr_t)snapshot->ranges,
		.vec_len = RANGES,
		.category_mask = SCAN_WRITTEN | SCAN_PROTECTED,
		.return_mask = SCAN_WRITTEN,
	};

	while (job.start < job.end) {
		long count = raw_syscall(SYS_ioctl, snapshot->scan_fd, (long)PAGE_SCAN, &job);
		if (count < 0)
			return false;
		for (long i = 0; i < count; i++)
			add_written(snapshot->ranges[i].start, snapshot->ranges[i].end);
		job.start = job.walk_end;
	}
	return true;
}

static long count_faults(void)
{
	struct rusage usage;

	raw_syscall(SYS_getrusage, RUSAGE_THREAD, (long)&usage, NULL);
	return usage.ru_minflt;
}

/*
 * The first write to a page causes a fault, even if the kernel writes. Without a fault since the
 * last search, there are no new pages to find.
 */
bool snapshot_touched(void)
{
	return count_faults() != snapshot->faults;
}

static void find_written(void)
{
	snapshot->written_count = 0;
	for (unsigned i = 0; i < snapshot->cluster_count; i++) {
		if (!scan_cluster(&snapshot->clusters[i]))
			snapshot->scan_fd = -1;
	}
	snapshot->faults = count_faults();
}

static void restore_written(void)
{
	for (unsigned i = 0; i < snapshot->written_count; i++) {
		const struct snapshot_piece *piece = &snapshot->written[i];
		memcpy(piece->to, piece->from, piece->bytes);
	}
}

static bool are_pages_equal(const void *page, const void *copy)
{
	const uint64_t *left = page, *right = copy;
	uint64_t difference = 0;

	for (size_t i = 0; i < PAGE / 8; i++)
		difference |= left[i] ^ right[i];
	return !difference;
}

static void restore_compared(void)
{
	for (unsigned i = 0; i < snapshot->region_count; i++) {
		const struct snapshot_region *region = &snapshot->regions[i];
		for (uintptr_t at = region->low; at < region->high; at += PAGE) {
			const uint8_t *copy = region->copy + (at - region->low);
			if (!are_pages_equal((void *)at, copy))
				memcpy((void *)at, copy, PAGE);
		}
	}
}

void snapshot_restore(bool touched)
{
	clear_heap();
	if (snapshot->scan_fd >= 0 && touched)
		find_written();
	if (snapshot->scan_fd >= 0)
		restore_written();
	else
		restore_compared();
	memcpy((void *)snapshot->stack_low, snapshot->stack_copy,
	       snapshot->stack_high - snapshot->stack_low);
}
