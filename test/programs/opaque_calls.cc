// Calls of functions that are not recorded arrive as they were made: variable and floating arguments, many arguments,
// structs, errno; and an exception passes through them. So does what a plugin calls that is loaded later.
// build: -pthread -ldl
// opaque: lib/closed.c
// library: lib/caller.c
// run: ./libcaller.so
// stdout: sum 13.5 none 0
// stdout: twelve 2900
// stdout: big 16 20
// stdout: errno 17 3
// stdout: thrown 2
// stdout: plugin 6.5
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>

struct closed_big {
	long words[5];
};
extern "C" {
void closed_each(void (*call)(void *), void *argument, int times);
double closed_sum(int count, ...);
long closed_twelve(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
		   long k, long l, double x, float y);
closed_big closed_give(closed_big big, int add, long double more);
int closed_fail(int error);
void closed_unlock(void);
}

static void throw_second(void *count)
{
	if (++*static_cast<int *>(count) == 2)
		throw 2;
}

static int catch_thrown()
{
	int count = 0;

	try {
		closed_each(throw_second, &count, 5);
	} catch (int thrown) {
		closed_unlock();
		return thrown;
	}
	return 0;
}

int main(int, char **argv)
{
	std::printf("sum %g none %g\n", closed_sum(5, 1L, 2.5, 3L, 4.0, 3L), closed_sum(0));
	std::printf("twelve %ld\n",
		    closed_twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 10.5, 1.2F));
	closed_big big = closed_give({ { 1, 2, 3, 4, 5 } }, 5, 10.0L);
	std::printf("big %ld %ld\n", big.words[0], big.words[4]);
	errno = 3;
	int before = closed_fail(17);
	std::printf("errno %d %d\n", errno, before);
	std::printf("thrown %d\n", catch_thrown());

	void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	double (*call)() = reinterpret_cast<double (*)()>(dlsym(plugin, "call"));
	std::printf("plugin %g\n", call());
	dlclose(plugin);
	return 0;
}
