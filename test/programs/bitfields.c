// Bit-fields: neighbours in one unit keep their values, signed ones their signs.
// build: -pthread
// stdout: 5 -3 1 1000 77
// text: ^T1\|w\(s\.e@1\)=77\|
// text: ^T1\|w\([^)]*bitfield\)=
#include <pthread.h>
#include <stdio.h>

static struct {
	unsigned a : 3;
	signed b : 5;
	unsigned c : 1;
	unsigned long d : 40;
	unsigned char e;
} s;

static void *set(void *unused)
{
	s.a = 5;
	s.b = -3;
	s.c = 0;
	s.c ^= 1;
	s.d = 999;
	s.d++;
	s.e = 77;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	pthread_join(thread, NULL);
	printf("%u %d %u %lu %u\n", s.a, s.b, s.c, (unsigned long)s.d, s.e);
	return 0;
}
