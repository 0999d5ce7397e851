// LIBS: -lsqlite3
// Each thread has a database of its own in memory; results are added under a mutex.
#include <pthread.h>
#include <sqlite3.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rows;

static int on_row(void *count, int columns, char **values, char **names)
{
	(void)columns;
	(void)values;
	(void)names;
	++*(int *)count;
	return 0;
}

static void *worker(void *unused)
{
	sqlite3 *db;
	int found = 0;

	sqlite3_open(":memory:", &db);
	sqlite3_exec(db, "create table t(x); insert into t values (1), (2);", NULL, NULL, NULL);
	sqlite3_exec(db, "select x from t;", on_row, &found, NULL);
	sqlite3_close(db);
#ifndef BUG
	pthread_mutex_lock(&lock);
#endif
	rows += found;
#ifndef BUG
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sqlite3_initialize();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return rows < 2;
}
