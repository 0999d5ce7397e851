/*
 * Random numbers from the system. In a controlled run a number depends only on the thread and on
 * how many numbers the thread has drawn before. It does not depend on the seed of the run: the seed
 * selects schedules, and if a search changed the program's data together with the schedule, no two
 * of its runs would be comparable.
 *
 * Not covered: files such as /dev/urandom, the processor's instructions for random numbers, and the
 * random bytes that the kernel passes to a new process (AT_RANDOM).
 */
#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <sys/random.h>

static SOOTH_TLS uint64_t drawn; /* how many numbers the calling thread has drawn */

static bool is_virtual(void)
{
	return __builtin_expect(sched_active, 0) && !thread_buffer_self.quiet;
}

/* Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t draw_number(void)
{
	return mix(mix(thread_buffer_self.stream + 1ull) + ++drawn * 0x9e3779b97f4a7c15ull);
}

static void fill_with_numbers(void *to, size_t size)
{
	uint8_t *bytes = to;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t number = draw_number();
		for (size_t k = 0; k < 8 && i + k < size; k++)
			bytes[i + k] = (uint8_t)(number >> 8 * k);
	}
}

/*
 * Records the bytes that a call stored in `to`. In a controlled run, overwrites them with the
 * thread's own numbers first. getrandom and getentropy have called the real function before,
 * because it checks the address.
 */
static void record_bytes(void *to, size_t size, uintptr_t pc)
{
	if (is_virtual())
		fill_with_numbers(to, size);
	transfer_wrote(to, size, pc);
}

SOOTH_API ssize_t getrandom(void *to, size_t size, unsigned flags)
{
	ssize_t result = real()->getrandom(to, size, flags);

	if (result > 0)
		record_bytes(to, (size_t)result, RECORD_CALLER);
	return result;
}

SOOTH_API int getentropy(void *to, size_t size)
{
	int result = real()->getentropy(to, size);

	if (result == 0)
		record_bytes(to, size, RECORD_CALLER);
	return result;
}

SOOTH_API uint32_t arc4random(void)
{
	return is_virtual() ? (uint32_t)draw_number() : real()->arc4random();
}

SOOTH_API void arc4random_buf(void *to, size_t size)
{
	if (!is_virtual())
		real()->arc4random_buf(to, size);
	record_bytes(to, size, RECORD_CALLER);
}

SOOTH_API uint32_t arc4random_uniform(uint32_t bound)
{
	if (!is_virtual())
		return real()->arc4random_uniform(bound);
	return bound ? (uint32_t)(draw_number() % bound) : 0;
}

/* Interposes std::random_device, which may use the processor's instructions. */
#define RANDOM_DEVICE(name)                                                                        \
	SOOTH_API unsigned name(void *device)                                                      \
	{                                                                                          \
		return is_virtual() ? (unsigned)draw_number() : real()->name(device);              \
	}

RANDOM_DEVICE(_ZNSt13random_device9_M_getvalEv)
RANDOM_DEVICE(_ZNSt13random_device16_M_getval_pretr1Ev)
