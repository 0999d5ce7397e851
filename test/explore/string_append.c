// Append another buffer: its length is asked for first, its characters are fetched then. Each is
// under its lock, and in between it was shortened.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "work.h"

struct buffer {
	pthread_mutex_t lock;
	int length;
	char text[16];
};

static struct buffer source = { PTHREAD_MUTEX_INITIALIZER, 5, "hello" };
static struct buffer target = { PTHREAD_MUTEX_INITIALIZER, 0, "" };

static int length_of(struct buffer *buffer)
{
	int length;

	pthread_mutex_lock(&buffer->lock);
	length = buffer->length;
	pthread_mutex_unlock(&buffer->lock);
	return length;
}

static void copy_out(struct buffer *buffer, char *to, int length)
{
	pthread_mutex_lock(&buffer->lock);
#ifdef FIXED
	if (length > buffer->length)
		length = buffer->length;
#endif
	assert(length <= buffer->length); // FAILS
	memcpy(to, buffer->text, (size_t)length);
	pthread_mutex_unlock(&buffer->lock);
}

static void *append(void *unused)
{
	int length = length_of(&source);

	pthread_mutex_lock(&target.lock);
	copy_out(&source, target.text + target.length, length);
	target.length += length;
	pthread_mutex_unlock(&target.lock);
	return unused;
}

static void *clear(void *unused)
{
	pthread_mutex_lock(&source.lock);
	source.length = 0;
	pthread_mutex_unlock(&source.lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, append, NULL);
	work(10);
	pthread_create(&threads[1], NULL, clear, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
