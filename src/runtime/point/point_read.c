/* Determines which memory is certainly mapped, and reads other memory with process_vm_readv. */
#include "runtime/point/point_read.h"

#include "event/point.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u

/* ---- memory that is certainly mapped --------------------------------------------------------- */

#define IMAGES_MAX 128u
static struct point_range images[IMAGES_MAX]; /* sorted by address */
static unsigned image_count;
SOOTH_TLS struct point_near point_near;
static pid_t self;

static int add_images(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + ph->p_vaddr, to = from + ph->p_memsz;
		unsigned at = image_count;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_R) || at == IMAGES_MAX)
			continue;
		for (; at > 0 && images[at - 1].from > from; at--)
			images[at] = images[at - 1];
		images[at].from = from;
		images[at].to = to;
		image_count++;
	}
	return 0;
}

/*
 * glibc's variable: the current end of the heap that begins after the program (the break). The heap
 * only shrinks when memory at its end is free; a thread that reads there at that moment reads freed
 * memory.
 */
extern char *__curbrk;
uint64_t point_break_start = UINT64_MAX;

/*
 * Reads the start of that heap, field 47 of /proc/self/stat. Field 2, in parentheses, may contain
 * blanks.
 */
static void find_break(void)
{
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	char *p;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');
	for (unsigned field = 2; p && field < 47; field++) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	point_break_start = p ? strtoull(p, NULL, 10) : 0;
	if (!point_break_start)
		point_break_start = UINT64_MAX;
}

/*
 * If the stack pointer is on a known stack, all of that stack from the stack pointer upwards is
 * mapped. The main thread's stack ends with the program's name, above arguments and environment.
 * Its lower end is not fixed; this is the size that is assumed, unless the resource limit is
 * smaller.
 */
#define MAIN_STACK (8u << 20)

void point_read_stack(uint64_t low, uint64_t high)
{
	point_near.stack.from = low;
	point_near.stack.to = high;
}

static void find_main_stack(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	struct rlimit most;

	if (!name || getrlimit(RLIMIT_STACK, &most) != 0)
		return;
	uint64_t high = ((uint64_t)name + strlen(name) + PAGE) & ~(uint64_t)(PAGE - 1);
	uint64_t bytes = most.rlim_cur < MAIN_STACK ? most.rlim_cur : MAIN_STACK;
	point_read_stack(high - bytes, high);
}

void point_read_prepare(void)
{
	self = getpid();
	if (!image_count) {
		dl_iterate_phdr(add_images, NULL);
		find_break();
		find_main_stack();
	}
}

static uint64_t mapped_in_image(uint64_t address)
{
	const struct point_range *last = point_near.image;
	unsigned low = 0, high = image_count;

	if (last && address >= last->from && address < last->to)
		return last->to - address;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (address < images[middle].from)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low || address >= images[low - 1].to)
		return 0;
	point_near.image = &images[low - 1];
	return images[low - 1].to - address;
}

/* ---- memory that may not be mapped ----------------------------------------------------------- */

static long raw_syscall(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * Reads `bytes` bytes, or only those up to the end of the first page. The kernel copies an iovec as
 * a whole or not at all, so there are two: the first page is read even if the second is not mapped.
 * Returns the number of bytes read.
 */
static size_t read_through_kernel(uint8_t *to, uint64_t from, size_t bytes)
{
	size_t first = PAGE - from % PAGE;
	struct iovec there[2], here = { to, bytes };
	long got;

	if (first > bytes)
		first = bytes;
	there[0].iov_base = (void *)from;
	there[0].iov_len = first;
	there[1].iov_base = (void *)(from + first);
	there[1].iov_len = bytes - first;
	got = raw_syscall(SYS_process_vm_readv, self, (long)&here, 1, (long)there,
			  bytes > first ? 2 : 1);
	return got > 0 ? (size_t)got : 0;
}

/*
 * The first heap of an arena is never released, because it contains the arena's own description.
 * The end of its usable part, like the break, moves down only over free memory, and only if the
 * kernel accounts memory strictly. Later heaps of an arena may be released, so they are read
 * through the kernel.
 *
 * The kernel is asked once for each candidate address. Some addresses that are not arenas are
 * remembered, too. Races between writers do not matter: each entry is one word.
 */
#define ARENAS_MAX 64u
#define NOT_ARENAS_MAX 8u
static uint64_t arenas[ARENAS_MAX], not_arenas[NOT_ARENAS_MAX];
static unsigned arena_count, not_arena_count;

static bool is_listed(const uint64_t *list, unsigned count, uint64_t start)
{
	for (unsigned i = 0; i < count; i++)
		if (__atomic_load_n(&list[i], __ATOMIC_RELAXED) == start)
			return true;
	return false;
}

static bool is_first_heap(uint64_t start)
{
	struct {
		uint64_t arena, before, used, usable;
	} head;

	return read_through_kernel((uint8_t *)&head, start, sizeof(head)) == sizeof(head) &&
	       head.arena > start && head.arena <= start + 128 && !head.before &&
	       head.used <= head.usable && head.usable <= POINT_ARENA && head.usable % PAGE == 0;
}

static bool is_arena(uint64_t start)
{
	unsigned at;

	if (is_listed(arenas, ARENAS_MAX, start))
		return true;
	if (is_listed(not_arenas, NOT_ARENAS_MAX, start))
		return false;
	if (!is_first_heap(start)) {
		at = __atomic_fetch_add(&not_arena_count, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&not_arenas[at % NOT_ARENAS_MAX], start, __ATOMIC_RELAXED);
		return false;
	}
	at = __atomic_fetch_add(&arena_count, 1, __ATOMIC_RELAXED);
	if (at < ARENAS_MAX)
		__atomic_store_n(&arenas[at], start, __ATOMIC_RELAXED);
	return true;
}

static uint64_t mapped_in_arena(uint64_t address)
{
	uint64_t start = address & ~(POINT_ARENA - 1), end;

	if (!start || !is_arena(start))
		return 0;
	point_near.arena = start;
	end = start + *(const volatile uint64_t *)(start + POINT_ARENA_BYTES);
	return address < end ? end - address : 0;
}

/* Returns how many bytes at `address` are certainly mapped; 0 if that is not known. */
static uint64_t mapped_bytes(uint64_t address)
{
	const struct point_range *stack = &point_near.stack;
	uint64_t sp = (uint64_t)__builtin_frame_address(0);
	uint64_t bytes;

	if (address >= point_break_start && address < (uint64_t)__curbrk)
		return (uint64_t)__curbrk - address;
	if (sp >= stack->from && address >= sp && address < stack->to)
		return stack->to - address;
	bytes = mapped_in_image(address);
	return bytes ? bytes : mapped_in_arena(address);
}

bool point_read(uint8_t *to, uint64_t from, size_t bytes)
{
	if (mapped_bytes(from) < bytes)
		return read_through_kernel(to, from, bytes) == bytes;
	for (size_t i = 0; i < bytes; i++)
		to[i] = ((const volatile uint8_t *)from)[i];
	return true;
}

typedef uint64_t loose64 __attribute__((aligned(1), may_alias));

/*
 * Copies eight bytes at a time. In `zero`, the lowest bit that is set belongs to the first zero
 * byte.
 */
static unsigned copy_text(uint8_t *to, const volatile uint8_t *from, size_t most)
{
	const uint64_t ones = 0x0101010101010101u;
	size_t at = 0;

	for (; at + 8 <= most; at += 8) {
		uint64_t word = *(const volatile loose64 *)(from + at);
		uint64_t zero = (word - ones) & ~word & ones << 7;

		*(loose64 *)(to + at) = word;
		if (zero)
			return (unsigned)at + (unsigned)__builtin_ctzll(zero) / 8;
	}
	for (; at < most; at++) {
		uint8_t c = from[at];
		if (!c)
			break;
		to[at] = c;
	}
	return (unsigned)at;
}

unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most)
{
	size_t have = mapped_bytes(from);
	const volatile uint8_t *at = (const volatile uint8_t *)from;
	unsigned length;

	if (!have) {
		have = read_through_kernel(to, from, most + 1);
		if (!have)
			return POINT_STRING_UNREADABLE;
		at = to;
	}
	length = copy_text(to, at, have < most ? have : most);
	if (length < most && length < have)
		return length;
	/* Otherwise the text is longer, or the memory after it cannot be read. */
	return length < have && !at[length] ? length : length | POINT_STRING_CUT;
}
