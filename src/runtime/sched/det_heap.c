/*
 * A deterministic heap and stacks. There is one mapping of 72 TiB, of which only the touched pages
 * take memory. If the system does not allow such a mapping (a limit on address space, strict
 * overcommit), addresses are not deterministic. Each thread has a region (det_heap.h) with these
 * parts, from its lowest address:
 *
 *	counters	number of live blocks in each 64 KiB of the region
 *	freed		a bit for each 16 bytes: set if they belong to a freed block
 *	program		the blocks of the program
 *	foreign		the blocks of the C library and other code that is not instrumented.
 *			Whether such code allocates depends on the schedule (for example, the first
 *			thread that prints allocates the buffer of stdout)
 *	stack		the thread's stack if it is too large for the usual address; not used
 *			in main's region
 *
 * After the regions come the usual stacks, 16 MiB apart so that threads share page tables. Above
 * each stack is the runtime's private memory for the thread.
 *
 * Each block has a higher address than the previous one of its part. It is preceded by a head of 16
 * bytes, and its address is never reused. So a program that allocates and frees for a long time
 * uses up its region. Each aligned piece of 64 KiB without a live block is returned to the system,
 * but its addresses are not used again.
 */
#include "runtime/sched/det_heap.h"

#include "runtime/server/per_run.h"
#include "runtime/buffer/thread_buffer.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define GRANULE 16u
#define CHUNK 65536u
#define PAGE 4096u

/* Where the parts begin, in 64ths of a region. */
enum { FREED = 1, PROGRAM = 2, FOREIGN = 48, STACK = 60, END = 64 };

uint64_t det_heap_bytes;
static bool executable; /* stacks must be executable */

/* The parts in which blocks are allocated, and the bytes of each that are used, from its start. */
enum part { PART_PROGRAM, PART_FOREIGN, PARTS };
static _Atomic uint64_t used[DET_HEAP_THREADS][PARTS];
PER_RUN static _Atomic uint32_t threads; /* 1 + the highest number of a thread that has allocated */
/* Size of each thread's stack in pages; 0: the thread has no stack yet. */
static uint32_t stack_pages[DET_HEAP_THREADS];

struct det_heap_region {
	uint64_t base, bytes;
};

static inline struct det_heap_region region_of(uint32_t thread)
{
	if (thread == 0)
		return (struct det_heap_region){ DET_HEAP_BASE, DET_HEAP_MAIN_BYTES };
	return (struct det_heap_region){ DET_HEAP_BASE + DET_HEAP_MAIN_BYTES +
						 (thread - 1) * DET_HEAP_THREAD_BYTES,
					 DET_HEAP_THREAD_BYTES };
}

/* Returns the thread that owns an address for which det_heap_contains() is true. */
static inline uint32_t thread_at(uint64_t address)
{
	uint64_t offset = address - DET_HEAP_BASE;

	return offset < DET_HEAP_MAIN_BYTES
		       ? 0
		       : (uint32_t)((offset - DET_HEAP_MAIN_BYTES) / DET_HEAP_THREAD_BYTES) + 1;
}

static inline uint64_t part_base(struct det_heap_region r, enum part part)
{
	return r.base + r.bytes / END * (part == PART_PROGRAM ? PROGRAM : FOREIGN);
}

static inline uint64_t part_bytes(struct det_heap_region r, enum part part)
{
	return r.bytes / END * (part == PART_PROGRAM ? FOREIGN - PROGRAM : STACK - FOREIGN);
}

static inline _Atomic uint32_t *counter_at(struct det_heap_region r, uint64_t address)
{
	return (_Atomic uint32_t *)r.base + (address - r.base) / CHUNK;
}

static inline _Atomic uint64_t *freed_words(struct det_heap_region r)
{
	return (_Atomic uint64_t *)(r.base + r.bytes / END * FREED);
}

/* Does a module need executable stacks (gcc's nested functions)? */
static int wants_executable(struct dl_phdr_info *info, size_t size, void *out)
{
	bool says = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_GNU_STACK)
			continue;
		says = true;
		*(bool *)out |= (ph->p_flags & PF_X) != 0;
	}
	/*
	 * A module without such a header is old and needs executable stacks. The vDSO is an
	 * exception.
	 */
	*(bool *)out |= !says && info->dlpi_addr != getauxval(AT_SYSINFO_EHDR);
	return 0;
}

bool det_heap_start(void)
{
	if (det_heap_bytes)
		return true;
	void *map = mmap((void *)DET_HEAP_BASE, DET_HEAP_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	/* an old kernel, for which the address is only a hint */
	if (map != (void *)DET_HEAP_BASE) {
		munmap(map, DET_HEAP_BYTES);
		return false;
	}
	/* No huge pages: most threads use only a page or two of each part. */
	madvise(map, DET_HEAP_BYTES, MADV_NOHUGEPAGE);
	dl_iterate_phdr(wants_executable, &executable);
	det_heap_bytes = DET_HEAP_BYTES;
	return true;
}

/* Returns the upper end of a thread's usual stack. */
static inline uint64_t usual_top(uint32_t thread)
{
	return DET_HEAP_STACKS + (thread + 1) * DET_HEAP_STACK_BYTES - DET_HEAP_PRIVATE_BYTES;
}

void *det_heap_private(uint32_t thread)
{
	return det_heap_bytes && thread < DET_HEAP_THREADS ? (void *)usual_top(thread) : NULL;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct det_heap_head {
	uint32_t granules; /* size in granules */
	uint32_t mark;	   /* distinguishes a block from other memory */
	uint64_t spare;
};
_Static_assert(sizeof(struct det_heap_head) == GRANULE, "a block after its head is aligned");

static inline struct det_heap_head *head_of(const void *block)
{
	return (struct det_heap_head *)block - 1;
}

static inline uint32_t mark_of(const void *block)
{
	return (uint32_t)((uintptr_t)block >> 4) * 2654435761u | 1;
}

/*
 * count_live() adds a block to the counter of each 64 KiB piece that it touches; uncount_live()
 * subtracts it again, and releases the pieces in which no block is live.
 */
static void count_live(struct det_heap_region r, uint64_t from, uint64_t to)
{
	for (uint64_t at = from & ~(uint64_t)(CHUNK - 1); at < to; at += CHUNK)
		atomic_fetch_add_explicit(counter_at(r, at), 1, memory_order_relaxed);
}

static void uncount_live(struct det_heap_region r, uint64_t from, uint64_t to, uint64_t handed_out)
{
	uint64_t dead = 0;

	for (uint64_t at = from & ~(uint64_t)(CHUNK - 1); at < to; at += CHUNK) {
		bool lives =
			atomic_fetch_sub_explicit(counter_at(r, at), 1, memory_order_relaxed) > 1 ||
			at + CHUNK > handed_out;
		if (!lives && !dead)
			dead = at;
		if (dead && (lives || at + CHUNK >= to)) {
			madvise((void *)dead, (lives ? at : at + CHUNK) - dead, MADV_DONTNEED);
			dead = 0;
		}
	}
}

/*
 * Allocates `bytes` after the used bytes of a part. Stores the address in `*block`. False: no room.
 */
static bool allocate_in_part(uint32_t thread, enum part part, size_t bytes, size_t alignment,
			     uint64_t *block)
{
	struct det_heap_region r = region_of(thread);
	uint64_t base = part_base(r, part), most = part_bytes(r, part);
	uint64_t before = atomic_load_explicit(&used[thread][part], memory_order_relaxed), after;

	do {
		*block = (base + before + GRANULE + alignment - 1) & ~(uint64_t)(alignment - 1);
		after = *block + bytes - base;
		if (bytes > most || alignment > most || after > most)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&used[thread][part], &before, after, memory_order_relaxed, memory_order_relaxed));
	return true;
}

/*
 * Threads that the runtime does not know (created by a call that it did not see, or before their
 * BEGIN) share main's foreign part. That is why allocation from a part is atomic.
 */
void *det_heap_alloc(size_t size, size_t alignment, bool foreign)
{
	uint32_t thread = thread_buffer_self.known ? thread_buffer_self.stream : 0;
	enum part part = foreign || !thread_buffer_self.known ? PART_FOREIGN : PART_PROGRAM;
	size_t bytes = ((size + GRANULE - 1) & ~(size_t)(GRANULE - 1)) + (size == 0) * GRANULE;
	uint64_t at;

	if (!det_heap_bytes || thread >= DET_HEAP_THREADS || size > DET_HEAP_MAIN_BYTES ||
	    bytes / GRANULE > UINT32_MAX ||
	    !allocate_in_part(thread, part, bytes, alignment < GRANULE ? GRANULE : alignment, &at))
		return NULL;
	struct det_heap_head *head = head_of((void *)at);
	head->granules = (uint32_t)(bytes / GRANULE);
	head->mark = mark_of((void *)at);
	count_live(region_of(thread), at - GRANULE, at + bytes);
	for (uint32_t seen = threads; seen <= thread;)
		atomic_compare_exchange_weak(&threads, &seen, thread + 1);
	return (void *)at;
}

size_t det_heap_size(const void *block)
{
	return (size_t)head_of(block)->granules * GRANULE;
}

static enum part part_of(struct det_heap_region r, uint64_t address)
{
	return address < part_base(r, PART_FOREIGN) ? PART_PROGRAM : PART_FOREIGN;
}

/* Resizes in place if the block has room, or if it is the last block of its part and can grow. */
bool det_heap_resize(void *block, size_t size)
{
	uint64_t at = (uint64_t)block, end = at + det_heap_size(block);
	uint32_t thread = thread_at(at);
	struct det_heap_region r = region_of(thread);
	enum part part = part_of(r, at);
	uint64_t base = part_base(r, part), before = end - base;

	if (size <= det_heap_size(block))
		return true;
	if (size > DET_HEAP_MAIN_BYTES)
		return false;
	uint64_t more = at + ((size + GRANULE - 1) & ~(size_t)(GRANULE - 1));
	if (more - base > part_bytes(r, part) || (more - at) / GRANULE > UINT32_MAX ||
	    !atomic_compare_exchange_strong(&used[thread][part], &before, more - base))
		return false;
	head_of(block)->granules = (uint32_t)((more - at) / GRANULE);
	/* the 64 KiB pieces that the block did not touch before */
	if (more > ((end + CHUNK - 1) & ~(uint64_t)(CHUNK - 1)))
		count_live(r, (end + CHUNK - 1) & ~(uint64_t)(CHUNK - 1), more);
	return true;
}

/* ---- freed blocks ---------------------------------------------------------------------------- */

bool det_heap_is_freed(uint64_t address, uint64_t size)
{
	if (address - DET_HEAP_BASE >= DET_HEAP_STACKS - DET_HEAP_BASE || !det_heap_bytes)
		return false;
	struct det_heap_region r = region_of(thread_at(address));
	const _Atomic uint64_t *words = freed_words(r);
	uint64_t from = (address - r.base) / GRANULE, to = (address - r.base + size - 1) / GRANULE;

	for (uint64_t bit = from; size && bit <= to; bit++) {
		uint64_t word = atomic_load_explicit(&words[bit / 64], memory_order_relaxed);
		if (word >> bit % 64 & 1)
			return true;
		if (!word)
			bit |= 63;
	}
	return false;
}

static void mark_freed(struct det_heap_region r, uint64_t from, uint64_t to)
{
	_Atomic uint64_t *words = freed_words(r);
	uint64_t bit = (from - r.base) / GRANULE, end = (to - r.base) / GRANULE;

	while (bit < end) {
		uint64_t count = 64 - bit % 64 < end - bit ? 64 - bit % 64 : end - bit;
		uint64_t mask = (count == 64 ? ~0ull : (1ull << count) - 1) << bit % 64;
		atomic_fetch_or_explicit(&words[bit / 64], mask, memory_order_relaxed);
		bit += count;
	}
}

enum det_heap_state det_heap_state(const void *block)
{
	uint64_t at = (uint64_t)block;
	struct det_heap_region r = region_of(thread_at(at));
	uint64_t base = part_base(r, part_of(r, at));
	uint64_t end = base + used[thread_at(at)][part_of(r, at)];

	if (at % GRANULE || at < base + GRANULE || at >= end)
		return DET_HEAP_NO_BLOCK;
	if (det_heap_is_freed(at, 1))
		return DET_HEAP_FREED;
	return head_of(block)->mark == mark_of(block) ? DET_HEAP_LIVE : DET_HEAP_NO_BLOCK;
}

void det_heap_free(void *block)
{
	uint64_t at = (uint64_t)block, end = at + det_heap_size(block);
	uint32_t thread = thread_at(at);
	struct det_heap_region r = region_of(thread);
	enum part part = part_of(r, at);

	mark_freed(r, at, end);
	uncount_live(r, at - GRANULE, end, part_base(r, part) + used[thread][part]);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static bool guards_shared;
#define GUARD_SHARERS 16u
static bool guarded[DET_HEAP_THREADS / GUARD_SHARERS];

void det_heap_share_guards(void)
{
	guards_shared = true;
}

/* Does a stack of this size fit at the usual address? A megabyte is left for guards. */
static inline bool is_usual_size(uint64_t bytes)
{
	return bytes <= DET_HEAP_STACK_BYTES - (1u << 20);
}

static inline void find_stack_range(uint32_t thread, uint64_t bytes, uint64_t *bottom,
				    uint64_t *top)
{
	struct det_heap_region r = region_of(thread);

	*top = is_usual_size(bytes) ? usual_top(thread) : r.base + r.bytes;
	*bottom = is_usual_size(bytes) ? DET_HEAP_STACKS + thread * DET_HEAP_STACK_BYTES + PAGE
				       : r.base + r.bytes / END * STACK;
}

/*
 * Makes one page the guard of a group of stacks: the lowest page of the 16 MiB that belong to the
 * group's first stack. No program uses that page, because a usual stack begins above it, and main's
 * stack is elsewhere.
 */
static bool share_guard(uint32_t thread)
{
	uint32_t group = thread / GUARD_SHARERS;
	uint64_t at = DET_HEAP_STACKS + (uint64_t)group * GUARD_SHARERS * DET_HEAP_STACK_BYTES;

	if (!guarded[group] && mprotect((void *)at, PAGE, PROT_NONE) != 0)
		return false;
	guarded[group] = true;
	return true;
}

void *det_heap_stack(uint32_t thread, size_t bytes, size_t guard)
{
	uint64_t bottom, top;

	if (!det_heap_bytes || thread == 0 || thread >= DET_HEAP_THREADS)
		return NULL;
	bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	guard = (guard + PAGE - 1) & ~(size_t)(PAGE - 1);
	find_stack_range(thread, bytes, &bottom, &top);
	if (bytes > top - bottom || guard > top - bottom - bytes)
		return NULL;
	uint32_t pages = (uint32_t)(bytes / PAGE);
	if (stack_pages[thread] == pages)
		return (void *)(top - bytes);
	/* If the stack had another size before, this removes the old guard. */
	int how = PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0);
	if ((stack_pages[thread] || executable) && mprotect((void *)bottom, top - bottom, how) != 0)
		return NULL;
	if (guards_shared && is_usual_size(bytes)) {
		if (!share_guard(thread))
			return NULL;
	} else if (guard && mprotect((void *)(top - bytes - guard), guard, PROT_NONE) != 0) {
		return NULL;
	}
	stack_pages[thread] = pages;
	return (void *)(top - bytes);
}

bool det_heap_stack_attributes(uint32_t thread, const pthread_attr_t *asked, pthread_attr_t *own)
{
	void *low;
	size_t bytes, guard;

	/* This copies the struct only: `own` shares memory with `asked`. */
	if (asked)
		*own = *asked;
	else if (pthread_getattr_default_np(own) != 0)
		return false;
	if (pthread_attr_getstack(own, &low, &bytes) != 0 || (uintptr_t)low + bytes != 0 ||
	    pthread_attr_getguardsize(own, &guard) != 0)
		return false;
	if (bytes == 0) { /* the attributes leave the size to the C library */
		pthread_attr_t usual;
		if (pthread_getattr_default_np(&usual) != 0)
			return false;
		pthread_attr_getstacksize(&usual, &bytes);
		pthread_attr_destroy(&usual);
	}
	low = det_heap_stack(thread, bytes, guard);
	return low && pthread_attr_setstack(own, low, bytes & ~(size_t)(PAGE - 1)) == 0;
}

void det_heap_stack_done(uint32_t thread)
{
	/*
	 * With shared guards, the process ends soon or uses the stack again in the next run:
	 * releasing the memory is not worth a system call.
	 */
	if (!det_heap_bytes || thread == 0 || thread >= DET_HEAP_THREADS || !stack_pages[thread] ||
	    guards_shared)
		return;
	uint64_t bottom, top, bytes = (uint64_t)stack_pages[thread] * PAGE;
	find_stack_range(thread, bytes, &bottom, &top);
	madvise((void *)(top - bytes), bytes, MADV_DONTNEED);
}

/* ---- the memory in use ----------------------------------------------------------------------- */

static void add_extent(struct det_heap_extent *to, unsigned most, unsigned *count, uint64_t base,
		       uint64_t end)
{
	if (*count < most)
		to[*count] = (struct det_heap_extent){ base, end };
	(*count)++;
}

unsigned det_heap_extents(struct det_heap_extent *to, unsigned most)
{
	unsigned count = 0;

	for (uint32_t thread = 0; thread < threads; thread++) {
		struct det_heap_region r = region_of(thread);
		for (enum part part = 0; part < PARTS; part++) {
			uint64_t base = part_base(r, part), end = base + used[thread][part];
			if (base == end)
				continue;
			add_extent(to, most, &count, base, end);
			add_extent(to, most, &count, (uint64_t)counter_at(r, base),
				   (uint64_t)(counter_at(r, end) + 1));
			add_extent(to, most, &count,
				   (uint64_t)&freed_words(r)[(base - r.base) / GRANULE / 64],
				   (uint64_t)&freed_words(r)[(end - r.base) / GRANULE / 64 + 1]);
		}
	}
	return count;
}
