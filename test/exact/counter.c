/*
 * A racy counter: two threads increment it without a lock, COUNT times each, and log every value
 * that they read and write.
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
