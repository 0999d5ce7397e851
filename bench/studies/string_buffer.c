/*
 * The JDK's string buffer: append(other) gets the length of the other buffer and then copies that
 * many characters. It holds the other buffer's lock during each of the two steps, but not between
 * them. Another thread replaces the text in between. 2 threads besides main.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct buffer {
	pthread_mutex_t lock;
	int count;
	char text[32];
};
static struct buffer one = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct buffer other = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int buffer_length(struct buffer *o)
{
	int count;

	pthread_mutex_lock(&o->lock);
	count = o->count;
	pthread_mutex_unlock(&o->lock);
	return count;
}

static void buffer_copy(struct buffer *o, int count, char *to)
{
	pthread_mutex_lock(&o->lock);
	if (count <= o->count)
		for (int i = 0; i < count; i++)
			to[i] = o->text[i];
	pthread_mutex_unlock(&o->lock);
}

static void buffer_delete(struct buffer *o)
{
	pthread_mutex_lock(&o->lock);
	o->count = 0;
	pthread_mutex_unlock(&o->lock);
}

static void buffer_set(struct buffer *o, const char *text)
{
	pthread_mutex_lock(&o->lock);
	for (int i = 0; i < 8; i++)
		o->text[i] = text[i];
	o->count = 8;
	pthread_mutex_unlock(&o->lock);
}

static void buffer_append(struct buffer *to, struct buffer *from)
{
	int count = buffer_length(from);
	char text[32];

	buffer_copy(from, count, text);
	pthread_mutex_lock(&to->lock);
	for (int i = 0; i < count; i++)
		to->text[to->count + i] = text[i];
	to->count += count;
	pthread_mutex_unlock(&to->lock);
}

static void *append(void *unused)
{
	buffer_append(&one, &other);
	return unused;
}

static void *replace(void *unused)
{
	buffer_delete(&other);
	buffer_set(&other, "two rows");
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	buffer_set(&other, "two rows");
	pthread_create(&threads[0], NULL, append, NULL);
	pthread_create(&threads[1], NULL, replace, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%.8s\n", one.text);
	return one.count != 8;
}
