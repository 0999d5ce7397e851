// Reads that compilers add where they do no harm to the machine: of a variable that might have been chosen, before a loop that might
// read it, of the field beside. The source makes none of them in this run, so that they race with nobody.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>

int chosen_1, chosen_2, chosen_3, chosen_4, summed, chosen_5, skipped, unused_number;
static const int usual = 5;
struct pair {
	int left, right;
} pair;
struct pair *volatile to = &pair;
static volatile int no;

__attribute__((noinline)) static int work(int v)
{
	__asm__ volatile("" : "+r"(v));
	return v;
}

/* one of the two has just been read */
__attribute__((noinline)) static int is_read(int which)
{
	int *from = which ? &chosen_1 : &unused_number;
	return unused_number + *from;
}

/* one of the two is a local variable */
__attribute__((noinline)) static int is_local(int which, int own)
{
	int *from = which ? &chosen_2 : &own;
	return *from;
}

/* likewise, and there is more to do before it is */
__attribute__((noinline)) static int is_made(int which)
{
	int own, *from = &chosen_3;
	if (!which) {
		own = work(which);
		from = &own;
	}
	return *from + 1;
}

/* one of the two is a constant, which can be computed with */
__attribute__((noinline)) static int is_constant(int which)
{
	const int *from = which ? &chosen_4 : &usual;
	return *from + 1;
}

__attribute__((noinline)) static void sum(int which, int n)
{
	for (int i = 0; i < n; i++)
		if (which)
			summed += i;
}

__attribute__((noinline)) static int fill(int which, int *places, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		places[i] = which ? chosen_5 : i;
		all += places[i];
	}
	return all;
}

__attribute__((noinline)) static int search(int which, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		if (i == which)
			all += skipped;
		else if (i == which + 1)
			all -= skipped;
	}
	return all;
}

__attribute__((noinline)) static int beside(struct pair *p, int which)
{
	return which ? p->left : p->right;
}

static void *reader(void *unused)
{
	static int places[8];

	sum(no, 9);
	if (is_read(no) + is_local(no, 3) + is_made(no) + is_constant(no) + fill(no, places, 8) +
		    search(no - 9, 8) + beside(to, no) ==
	    1)
		abort();
	return unused;
}

static void *writer(void *unused)
{
	chosen_1 = 1;
	chosen_2 = 1;
	chosen_3 = 1;
	chosen_4 = 1;
	chosen_5 = 1;
	summed = 1;
	skipped = 1;
	to->left = 1;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
