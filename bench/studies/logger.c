/*
 * The JDK's loggers (bug 6487638): adding a logger takes the manager's lock and then the root's
 * lock. Reading the configuration takes them in the opposite order. One thread besides main.
 */
#include <pthread.h>
#include <stdio.h>

#define LOGGERS 38

struct logger {
	pthread_mutex_t lock;
	int level, records;
};
static struct logger manager = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct logger root = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct logger loggers[LOGGERS];

static void log_record(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	if (l->level >= 0)
		l->records++;
	pthread_mutex_unlock(&l->lock);
}

static void add_logger(struct logger *l)
{
	pthread_mutex_lock(&manager.lock);
	pthread_mutex_lock(&l->lock);
	l->level = manager.level;
	pthread_mutex_unlock(&l->lock);
	manager.records++;
	pthread_mutex_unlock(&manager.lock);
}

static void read_configuration(void)
{
	pthread_mutex_lock(&root.lock);
	pthread_mutex_lock(&manager.lock);
	root.level = 1;
	pthread_mutex_unlock(&manager.lock);
	pthread_mutex_unlock(&root.lock);
}

static void set_root(void)
{
	pthread_mutex_lock(&manager.lock);
	pthread_mutex_lock(&root.lock);
	root.records++;
	pthread_mutex_unlock(&root.lock);
	pthread_mutex_unlock(&manager.lock);
}

static void *configure(void *unused)
{
	for (int i = 0; i < LOGGERS; i++)
		log_record(&loggers[i]);
	read_configuration();
	return unused;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < LOGGERS; i++)
		pthread_mutex_init(&loggers[i].lock, NULL);
	pthread_create(&thread, NULL, configure, NULL);
	for (int i = 0; i < LOGGERS; i++)
		add_logger(&loggers[i]);
	set_root();
	pthread_join(thread, NULL);
	printf("%d loggers\n", manager.records);
	return manager.records != LOGGERS;
}
