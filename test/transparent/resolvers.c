/* Functions that the dynamic linker chooses, by code that it calls before anything is ready. */
#include <stdio.h>

static int limit = 3;

static int few(void)
{
	return limit;
}

static int many(void)
{
	return limit * 2;
}

static int (*choose(void))(void)
{
	return limit > 2 ? many : few;
}

int chosen(void) __attribute__((ifunc("choose")));

#ifndef __clang__
__attribute__((target_clones("avx2", "default")))
#endif
int cloned(void)
{
	return limit;
}

int main(void)
{
	printf("%d %d\n", chosen(), cloned());
	return 0;
}
