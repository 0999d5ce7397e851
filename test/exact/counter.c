/*
 * The racy counter: two threads add to it without a lock and write down what each of them read
 * and wrote. COUNT is how often.
 */
#include "log.h"

#ifndef COUNT
#define COUNT 1000000
#endif

const u32 program_threads = 2;
static u32 counter __attribute__((section("objects")));

u64 program(u64 acc, u32 me)
{
	(void)me;
	for (u32 i = 0; i < COUNT; i++) {
		u32 seen = RD(counter);
		WR(counter, seen + 1);
	}
	return acc;
}
