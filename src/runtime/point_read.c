#include "runtime/point_read.h"

#include "event/point.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u

/* ---- what is always there ----------------------------------------------------------------- */

#define IMAGES_MAX 128u
static struct {
	uint64_t from, to;
} images[IMAGES_MAX]; /* sorted */
static unsigned image_count;
static pid_t self;

static int add_images(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + ph->p_vaddr, to = from + ph->p_filesz;
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
 * The heap that grows from the end of the program: where it is now. It shrinks only by what is free at
 * its end; who reads there at that very moment reads freed memory.
 */
extern char *__curbrk;
static uint64_t break_start;

/* The 47th field of /proc/self/stat; the second, in parentheses, may have blanks in it. */
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
	break_start = p ? strtoull(p, NULL, 10) : 0;
	if (!break_start)
		break_start = UINT64_MAX;
}

void point_read_prepare(void)
{
	self = getpid();
	if (!image_count) {
		dl_iterate_phdr(add_images, NULL);
		find_break();
	}
}

/* How many bytes from `address` on are in an image, or the heap; 0: none. */
static uint64_t in_image(uint64_t address)
{
	if (address >= break_start && address < (uint64_t)__curbrk)
		return (uint64_t)__curbrk - address;

	unsigned low = 0, high = image_count;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (address < images[middle].from)
			high = middle;
		else
			low = middle + 1;
	}
	return low && address < images[low - 1].to ? images[low - 1].to - address : 0;
}

/* ---- what may not be ---------------------------------------------------------------------- */

static long call(long number, long a, long b, long c, long d, long e)
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
 * So many bytes, or as many as there are up to the end of a page. The kernel copies whole pieces: two,
 * so that the first page comes even if the second is not there.
 */
static size_t read_some(uint8_t *to, uint64_t from, size_t bytes)
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
	got = call(SYS_process_vm_readv, self, (long)&here, 1, (long)there, bytes > first ? 2 : 1);
	return got > 0 ? (size_t)got : 0;
}

bool point_read(uint8_t *to, uint64_t from, size_t bytes)
{
	if (in_image(from) < bytes)
		return read_some(to, from, bytes) == bytes;
	for (size_t i = 0; i < bytes; i++)
		to[i] = ((const volatile uint8_t *)from)[i];
	return true;
}

unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most)
{
	size_t have = in_image(from);
	const volatile uint8_t *at = (const volatile uint8_t *)from;
	unsigned length = 0;

	if (!have) {
		have = read_some(to, from, most + 1);
		if (!have)
			return POINT_STRING_UNREADABLE;
		at = to;
	}
	for (; length < most && length < have; length++) {
		uint8_t c = at[length];
		if (!c)
			return length;
		to[length] = c;
	}
	/* It goes on, or what is behind it cannot be read. */
	return length < have && !at[length] ? length : length | POINT_STRING_CUT;
}
