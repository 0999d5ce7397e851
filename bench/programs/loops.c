/*
 * Loops that gcc vectorises in recorded code. They access only memory that no other thread can see,
 * because every access to other memory is recorded. bench/points counts the vectorised loops with
 * and without points.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 1024

/* A loop in a function that has points. */
__attribute__((noinline)) static unsigned fill_and_sum(unsigned seed)
{
	unsigned a[SIZE], sum = 0;

	for (unsigned i = 0; i < SIZE; i++) /* vectorised */
		a[i] = i * seed;
	for (unsigned i = 0; i < SIZE; i++) /* vectorised: a reduction */
		sum += a[i] ^ seed;
	return sum;
}

/* A small function that is declared inline has no points. */
static inline unsigned mix(unsigned x)
{
	return (x ^ 61) + (x >> 4) * 9;
}

__attribute__((noinline)) static unsigned with_inline(unsigned seed)
{
	unsigned a[SIZE], sum = 0;

	for (unsigned i = 0; i < SIZE; i++) /* vectorised */
		a[i] = mix(i + seed);
	for (unsigned i = 0; i < SIZE; i++) /* vectorised */
		sum += mix(a[i]);
	return sum;
}

/* Calls of functions that are not recorded, which have points, before and after the loop. */
__attribute__((noinline)) static unsigned beside_calls(unsigned seed)
{
	unsigned char a[SIZE], b[SIZE];
	unsigned sum = (unsigned)abs((int)seed);

	memset(b, (int)seed, sizeof b);
	for (unsigned i = 0; i < SIZE; i++) /* vectorised */
		a[i] = (unsigned char)(b[i] + i);
	for (unsigned i = 0; i < SIZE; i++) /* vectorised */
		sum += a[i] > b[i];
	return sum + (unsigned)labs((long)sum);
}

/* Floating point, two arrays. */
__attribute__((noinline)) static double dot(double seed)
{
	double a[SIZE], b[SIZE], most = 0;

	for (int i = 0; i < SIZE; i++) { /* vectorised */
		a[i] = seed * i;
		b[i] = seed + i;
	}
	for (int i = 0; i < SIZE; i++) /* vectorised */
		a[i] = a[i] * b[i] + seed;
	for (int i = 0; i < SIZE; i++)
		most += a[i];
	return most;
}

/* A loop in a function that is inlined into a loop of another function. */
static unsigned row(unsigned seed)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 64; i++) /* vectorised */
		sum += (i * seed) >> 3;
	return sum;
}

__attribute__((noinline)) static unsigned of_rows(unsigned seed)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 64; i++)
		sum += row(i + seed);
	return sum;
}

static void *work(void *argument)
{
	unsigned rounds = *(unsigned *)argument, sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum += fill_and_sum(i) + with_inline(i) + beside_calls(i) + (unsigned)dot(i) +
		       of_rows(i);
	return (void *)(unsigned long)sum;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, work, &rounds);
	pthread_join(thread, &result);
	printf("%lu\n", (unsigned long)result);
	return 0;
}
