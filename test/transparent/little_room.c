/* All its memory locked, now and from now on; then, as another program, with a stack of 64 KiB. */
#include "say.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void *use_memory(void *unused)
{
	char *block = malloc(1 << 20);

	memset(block, 1, 1 << 20);
	SAY(block[12345]);
	free(block);
	return unused;
}

int main(int argc, char **argv)
{
	struct rlimit stack;

	if (argc > 1) {
		say_in_thread(use_memory, NULL);
		say_work(10000);
		printf("%s\n", argv[1]);
		return 0;
	}
	SAY_ERRNO(mlockall(MCL_CURRENT | MCL_FUTURE));
	say_in_thread(use_memory, NULL);
	SAY_ERRNO(munlockall());
	getrlimit(RLIMIT_STACK, &stack);
	stack.rlim_cur = 64 << 10;
	SAY(setrlimit(RLIMIT_STACK, &stack));
	fflush(stdout);
	execl("/proc/self/exe", argv[0], "with a little stack", (char *)NULL);
	return 1;
}
