// Libraries that come and go, one where another was: what each did can be told apart, and a child can be made.
// build: -pthread -ldl
// library: lib/tally.c
// library: lib/ledger.c
// run: ./libtally.so ./libledger.so
// stdout: 40 30
// stdout: child 4
// traces: 2
// count: 20 \|w\(.*tally\.c:13$
// count: 80 \|w\(.*ledger\.c:
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each time it begins anew: nothing is left of the time before. */
static long use(const char *file, const char *name)
{
	void *library = dlopen(file, RTLD_NOW);
	union {
		void *found;
		int (*add)(int);
	} f = { .found = library ? dlsym(library, name) : NULL };
	long result = 0;

	for (int i = 0; f.found && i < 4; i++)
		result = f.add(2);
	if (library)
		dlclose(library);
	return result;
}

int main(int argc, char **argv)
{
	long tally = 0, ledger = 0;
	int status;

	if (argc < 3)
		return 1;
	for (int i = 0; i < 5; i++) {
		tally += use(argv[1], "tally_add");
		ledger = use(argv[2], "ledger_add");
	}
	printf("%ld %ld\n", tally, ledger);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(use(argv[1], "tally_add") == 8 ? 4 : 5);
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	return 0;
}
