/* Asks the kernel whether memory can be read: see safe_read.h. */
#include "runtime/host/safe_read.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define NO_SUCH_WAY (-1L)

/*
 * Asks the kernel by rt_sigprocmask with an invalid operation: the kernel copies the signal set
 * from `page` before it rejects the operation. If a seccomp filter forbids the call, the result
 * says nothing about the address, which is then assumed to be readable.
 */
static bool is_page_there(uintptr_t page)
{
	register unsigned long size __asm__("r10") = sizeof(uint64_t);
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_rt_sigprocmask), "D"(NO_SUCH_WAY), "S"(page), "d"(0l), "r"(size)
			 : "rcx", "r11", "memory");
	return result != -EFAULT;
}

bool safe_read_can_read(const void *at, size_t bytes)
{
	uintptr_t from = (uintptr_t)at, last = from + bytes - 1;

	if (!bytes)
		return true;
	if (from < PAGE || last < from) /* the kernel takes NULL to mean that there is no set */
		return false;
	for (uintptr_t page = from & ~(uintptr_t)(PAGE - 1); page <= last; page += PAGE)
		if (!is_page_there(page))
			return false;
	return true;
}

bool safe_read(void *to, const void *from, size_t bytes)
{
	bool there = safe_read_can_read(from, bytes);

	if (there)
		memcpy(to, from, bytes);
	return there;
}
