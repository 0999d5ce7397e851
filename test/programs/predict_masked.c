// Masked loads and stores of vectors access only the parts that the mask selects; the parts beside them belong to another
// thread. Gathers are not recorded, but data that they read may have come from another thread.
// build: -pthread
// stdout: 5 7 9 11 7 7 7 7 1
// predict: race loose@FIRST loose@SECOND
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>

static int row[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, to[8], more[8] = { 4, 4, 4, 4, 4, 4, 4, 4 }, loose;
static volatile int selected = -1;
static int indices[8] = { 0, 1, 2, 3, 0, 1, 2, 3 }, *handed, item, received;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define AVX2 __attribute__((target("avx2")))

AVX2 static void add_half(void)
{
	__m256i mask = _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
	__m256i some = _mm256_setr_epi32(selected, 0, selected, 0, 0, 0, 0, 0);
	__m256i sum = _mm256_maskload_epi32(row, mask);
	__m256i index = _mm256_maskload_epi32(indices, mask);

	sum = _mm256_add_epi32(sum, _mm256_mask_i32gather_epi32(index, more, index, mask, 4));
	_mm256_maskstore_epi32(to, mask, sum);
	sum = _mm256_add_epi32(_mm256_maskload_epi32(row, some), sum);
	sum = _mm256_sub_epi32(sum, _mm256_setr_epi32(1, 0, 3, 0, 0, 0, 0, 0));
	_mm256_maskstore_epi32(to, some, sum);
	for (int i = 1; i < 4; i++)
		to[i] += i;
}

/* The pointer goes through memory whose accesses may not be recorded; the mutex alone does not say which comes first. */
AVX2 static void hand_over(int *p)
{
	__m256i mask = _mm256_setr_epi32(-1, -1, 0, 0, 0, 0, 0, 0);

	_mm256_maskstore_epi32((int *)&handed, mask, _mm256_set1_epi64x((long long)p));
}

AVX2 static int *receive(void)
{
	__m128i p = _mm_i32gather_epi64((const long long *)&handed, _mm_setzero_si128(), 8);

	return (int *)_mm_cvtsi128_si64(p);
}

static void add_half_plain(void)
{
	for (int i = 0; i < 4; i++)
		to[i] = row[i] + more[i] + i;
}

static void *left(void *avx)
{
	loose = 1; // FIRST
	if (avx)
		add_half();
	else
		add_half_plain();
	item = 3;
	pthread_mutex_lock(&mutex);
	if (avx)
		hand_over(&item);
	else
		handed = &item;
	pthread_mutex_unlock(&mutex);
	return avx;
}

static void *right(void *avx)
{
	int *p;

	loose = 2; // SECOND
	for (int i = 4; i < 8; i++) {
		row[i]++;
		more[i]++;
		to[i] = 7;
	}
	pthread_mutex_lock(&mutex);
	p = avx ? receive() : handed;
	pthread_mutex_unlock(&mutex);
	if (p)
		received = *p;
	return avx;
}

int main(void)
{
	pthread_t threads[2];
	void *avx = __builtin_cpu_supports("avx2") ? &loose : NULL;

	pthread_create(&threads[0], NULL, left, avx);
	pthread_create(&threads[1], NULL, right, avx);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 8; i++)
		printf("%d ", to[i]);
	printf("%d\n", loose > 0 && (!received || received == item));
	return 0;
}
