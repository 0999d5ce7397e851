// Blocks that change hands, grow, are freed by others and taken again: each is used while it lives.
// explore: complete
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *_Atomic mailbox;

static void *send(void *unused)
{
	char *text = strdup("a");

	text = realloc(text, 400);
	strcat(text, "b");
	mailbox = text;
	free(malloc(400));
	return unused;
}

static void *receive(void *unused)
{
	char *text = atomic_exchange(&mailbox, NULL);
	char *other = calloc(1, 400);

	assert(!text || strcmp(text, "ab") == 0);
	assert(other[0] == 0 && other[399] == 0);
	free(text);
	other[0] = 1;
	free(other);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, send, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(mailbox);
	return 0;
}
