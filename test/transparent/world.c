// What a process is given: arguments, environment, limits, rounding, stacks, the heap's answers.
// build: -lm -frounding-math -fno-builtin
#include "say.h"

#include <fenv.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xmmintrin.h>

extern char **environ;

static void surroundings(char **arguments)
{
	char path[PATH_MAX] = "", name[17] = "";

	SAY(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	SAY(strrchr(path, '/') && access(path, X_OK) == 0);
	SAY(getcwd(path, sizeof(path)) != NULL);
	SAY(arguments[1] == NULL);
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "SOOTH_", 6))
			printf("%s\n", *e);
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;
		getrlimit(i, &limit);
		printf("limit %d: %lu %lu\n", i, (unsigned long)limit.rlim_cur,
		       (unsigned long)limit.rlim_max);
	}
	SAY(umask(0));
	SAY(getppid() > 0);
	SAY(getpriority(PRIO_PROCESS, 0));
	SAY(sched_getscheduler(0));
	SAY(prctl(PR_GET_DUMPABLE));
	SAY(prctl(PR_GET_PDEATHSIG, &name));
	SAY(prctl(PR_GET_SECCOMP));
	SAY(getauxval(AT_SECURE));
	SAY(sysconf(_SC_NPROCESSORS_ONLN));
	pthread_setname_np(pthread_self(), "renamed");
	SAY(pthread_getname_np(pthread_self(), name, sizeof(name)));
	printf("%s\n", name);
}

static unsigned short x87_control(void)
{
	unsigned short word;

	__asm__ volatile("fnstcw %0" : "=m"(word));
	return word;
}

static void *say_rounding(void *unused)
{
	volatile double one = 1, three = 3;

	say_work(40000);
	printf("rounding %#x, control %#x %#x, 1/3 %a\n", fegetround(), _mm_getcsr() & 0xffc0,
	       x87_control(), one / three);
	return unused;
}

static void rounding(void)
{
	static const int ways[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	for (int i = 0; i < 4; i++) {
		fesetround(ways[i]);
		say_rounding(NULL);
		say_in_thread(say_rounding, NULL);
	}
	fesetround(FE_TONEAREST);
	_mm_setcsr(_mm_getcsr() | 0x8040); /* denormals are zero */
	say_rounding(NULL);
	feclearexcept(FE_ALL_EXCEPT);
	say_work(100000);
	SAY(fetestexcept(FE_ALL_EXCEPT));
}

static void *say_stack(void *unused)
{
	pthread_attr_t attributes;
	void *low;
	size_t size, guard;
	char here;

	SAY(pthread_getattr_np(pthread_self(), &attributes));
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_getguardsize(&attributes, &guard);
	printf("stack of %zu, guard %zu, here %d, aligned %d\n", size, guard,
	       &here > (char *)low && &here < (char *)low + size,
	       (int)((uintptr_t)__builtin_frame_address(0) % 16));
	pthread_attr_destroy(&attributes);
	return unused;
}

/* The program's own stack; the smallest that is allowed. */
static void stacks(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	say_in_thread(say_stack, NULL);
	pthread_attr_init(&attributes);
	SAY(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
	SAY(pthread_create(&thread, &attributes, say_rounding, NULL));
	SAY(pthread_join(thread, NULL));
	SAY(pthread_attr_setstacksize(&attributes, 1 << 20));
	SAY(pthread_attr_setguardsize(&attributes, 8192));
	SAY(pthread_create(&thread, &attributes, say_stack, NULL));
	SAY(pthread_join(thread, NULL));
	void *own = aligned_alloc(4096, 1 << 18);
	SAY(pthread_attr_setstack(&attributes, own, 1 << 18));
	SAY(pthread_create(&thread, &attributes, say_stack, NULL));
	SAY(pthread_join(thread, NULL));
	free(own);
	struct sched_param priority = { .sched_priority = 99 };
	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	SAY(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER));
	SAY(pthread_attr_setschedparam(&attributes, &priority));
	SAY(pthread_attr_setdetachstate(&attributes, 77));
}

static void heap(void)
{
	void *block = NULL;

	for (size_t size = 0; size < 4000; size = size * 3 / 2 + 1) {
		void *one = malloc(size), *zeros = calloc(1, size);
		printf("%zu: %d %d %d\n", size, malloc_usable_size(one) >= size,
		       malloc_usable_size(zeros) < size + 64, (int)((uintptr_t)one % 16));
		free(one);
		free(zeros);
	}
	SAY_ERRNO(malloc(SIZE_MAX) != NULL);
	SAY_ERRNO(calloc(SIZE_MAX / 2, 3) != NULL);
	SAY_ERRNO(realloc(NULL, SIZE_MAX / 2) != NULL);
	SAY_ERRNO(posix_memalign(&block, 3, 8));
	SAY_ERRNO(posix_memalign(&block, 4096, 8));
	SAY((uintptr_t)block % 4096);
	SAY_ERRNO(aligned_alloc(64, 100) != NULL);
	SAY_ERRNO((free(block), 0));
	SAY(malloc_usable_size(NULL));
	SAY(malloc_trim(0) >= 0);
	SAY(mallopt(M_MMAP_THRESHOLD, 65536));
}

int main(int argc, char **argv)
{
	(void)argc;
	surroundings(argv);
	rounding();
	stacks();
	heap();
	return 0;
}
// serial: no
