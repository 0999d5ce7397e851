// LIBS: -lsqlite3
// One connection for two threads: SQLite's own mutex serialises the calls and the callbacks.
#include <pthread.h>
#include <sqlite3.h>

static sqlite3 *db;
static int calls;

static void step(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	(void)values;
	calls++;
	sqlite3_result_int(context, calls);
}

static void *worker(void *unused)
{
	sqlite3_exec(db, "select step();", NULL, NULL, NULL);
#ifdef BUG
	calls++;
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sqlite3_open_v2(":memory:", &db,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL);
	sqlite3_create_function(db, "step", 0, SQLITE_UTF8, NULL, step, NULL, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	sqlite3_close(db);
	return calls < 2;
}
