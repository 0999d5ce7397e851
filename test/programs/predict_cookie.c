// The functions of a stream that a program makes for itself run under the stream's own lock, when its buffer is
// full or is to be emptied: behind what others did with the stream.
// build: -pthread -D_GNU_SOURCE
// plain: lib/turn.c
// stdout: 3 6 closed 2
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>

void turn_wait(int number);
void turn_done(void);

struct sink {
	int calls, bytes;
	const char *state;
};

static struct sink sink = { .state = "open" };
static FILE *file;
static int loose;

static ssize_t take(void *cookie, const char *from, size_t size)
{
	struct sink *s = cookie;

	(void)from;
	s->calls++;
	s->bytes += (int)size;
	return (ssize_t)size;
}

static int end(void *cookie)
{
	struct sink *s = cookie;

	s->state = "closed";
	return 0;
}

static void *first(void *unused)
{
	fputs("ab", file);
	fflush(file);
	loose = 1; // FIRST
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	loose = 2; // SECOND
	fputs("cd", file);
	fflush(file);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	file = fopencookie(&sink, "w", (cookie_io_functions_t){ .write = take, .close = end });
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fputs("ef", file);
	fclose(file);
	printf("%d %d %s %d\n", sink.calls, sink.bytes, sink.state, loose);
	return 0;
}
