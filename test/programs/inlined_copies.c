// Copies that the compiler opens up itself (constant sizes, builtins, initialisers).
// build: -pthread
// stdout: 1 9 ab 0 12 deadbeef
// text: ^T1\|w\([^)]*@16\)=0x00000000000000090000000000000001\|
// text: ^T1\|w\(zero[^)]*@40\)=0x00\*\|
// text: ^T1\|w\(bits@4\)=-559038737\|
// text: ^T1\|w\(narrow@4\)=1094713344\|
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pair {
	long a, b;
};

static struct pair from = { 1, 9 }, to;
static char word[3], zero[40] = { 1 };
static uint32_t bits;
static double real = 12;
static float narrow;

static void *run(void *unused)
{
	memcpy(&to, &from, sizeof(to));
	memcpy(word, "ab", 3);
	memset(zero, 0, sizeof(zero));
	narrow = (float)real;
	uint64_t raw = 0xdeadbeef;
	memcpy(&bits, &raw, sizeof(bits));
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%ld %ld %s %d %.0f %x\n", to.a, to.b, word, zero[0], narrow, bits);
	return 0;
}
