// long double, complex, 128-bit integers and vectors: values of 8 to 32 bytes.
// build: -pthread -Wno-psabi
// stdout: 3.5 1+2i 18446744073709551617 1 4 9 16
// stdout: 2 4 6 8 10 12 14 16
// text: ^T1\|w\(extended@10\)=0x4000e000000000000000\|
// text: ^T1\|w\(wide@16\)=0x00000000000000010000000000000001\|
// text: ^T1\|w\([^)]*@16\)=0x4180000041100000408000003f800000\|
// text: ^T1\|w\([^)]*@32\)=0x000000100000000e
#include <complex.h>
#include <pthread.h>
#include <stdio.h>

typedef float four __attribute__((vector_size(16)));
typedef int eight __attribute__((vector_size(32)));

static long double extended;
static double complex number;
static __int128 wide;
static four squares;
static eight doubles;

static void *set(void *unused)
{
	four f = { 1, 2, 3, 4 };
	eight e = { 1, 2, 3, 4, 5, 6, 7, 8 };

	extended = 3.25L;
	extended += 0.25L;
	number = 1 + 2 * I;
	wide = (__int128)1 << 64 | 1;
	squares = f * f;
	doubles = e + e;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	pthread_join(thread, NULL);
	printf("%.1Lf %.0f+%.0fi 1844674407370955161%d %.0f %.0f %.0f %.0f\n", extended,
	       creal(number), cimag(number), (int)(wide % 10), squares[0], squares[1], squares[2],
	       squares[3]);
	for (int i = 0; i < 8; i++)
		printf("%d%c", doubles[i], i < 7 ? ' ' : '\n');
	return 0;
}
