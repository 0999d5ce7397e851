// memcpy, memmove both ways, memset, and the str functions: results as libc's.
// build: -pthread
// stdout: abcabcdefg|bcdefgefg|zzzz
// stdout: 6 -1 1 3 2 4 lo world|world
// stdout: hello, world 12
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char up[16] = "abcdefg", down[16] = "abcdefg", fill[8], text[64];

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void *run(void *unused)
{
	memmove(up + 3, up, 8);
	memmove(down, down + 1, 6);
	strcpy(down + 6, "efg");
	memset(fill, 'z', 4);
	strcpy(text, "hello");
	strncat(text, ", w", 8);
	strcat(text, "XXXX");
	memcpy(text + 8, "rld", 4);
	text[7] = 'o';
	text[6] = 'w';
	memmove(text + 7, text + 6, 7);
	text[6] = ' ';
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%s|%s|%s\n", up, down, fill);
	char *copy = strdup("hello world");
	printf("%zu %d %d %d %d %d %s|%s\n", strlen("length"), sign(strcmp(copy, "help")),
	       sign(memcmp("ab", "aa", 2)), (int)(strchr(copy, 'l') - copy) + 1,
	       (int)strspn(copy, "eh"), (int)strcspn(copy, "o"), strrchr(copy, 'l') ? copy + 3 : "",
	       strstr(copy, "wor"));
	free(copy);
	printf("%s %zu\n", text, strnlen(text, 64));
	return 0;
}
