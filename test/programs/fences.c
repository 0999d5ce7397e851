// Relaxed flag with fences, an atomic flag, __sync builtins, a spinning reader.
// build: -pthread
// stdout: data 42
// stdout: flag 0 1, sync 5 7 1 0
// count: 1 ^T1\|fence\(release\)
// count: 1 ^T0\|fence\(acquire\)
// count: 1 ^T1\|wa\([^)]*relaxed\)=1\|
// count: 1 ^T1\|w\(data@4\)=42\|
// text: ^T0\|u\([^)]*\)=5,6\|
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int ready;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int plain = 5;

static void *publish(void *unused)
{
	data = 42;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, publish, NULL);
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
	printf("data %d\n", data);
	pthread_join(thread, NULL);
	int first = atomic_flag_test_and_set(&flag), second = atomic_flag_test_and_set(&flag);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_flag_clear(&flag);
	int a = __sync_fetch_and_add(&plain, 1), b = __sync_add_and_fetch(&plain, 1);
	int c = __sync_bool_compare_and_swap(&plain, 7, 1), d = plain - 1;
	__sync_synchronize();
	printf("flag %d %d, sync %d %d %d %d\n", first, second, a, b, c, d);
	return 0;
}
