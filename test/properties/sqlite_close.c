// A connection is closed while another thread may still ask it something.
// property: sqlite
// needs: sqlite3
// violates: UseAfterClose close@CLOSE use@ASK
// violates: UseAfterClose close@CLOSE use@COUNT
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

static sqlite3 *db;
static int changed;
static pthread_t client;

static void *ask(void *unused)
{
	if (!sqlite3_exec(db, "insert into t values (1)", NULL, NULL, NULL)) // ASK
		changed = sqlite3_changes(db);				     // COUNT
	return unused;
}

static void *end(void *unused)
{
#ifdef FIXED
	pthread_join(client, NULL);
#endif
	sqlite3_close(db); // CLOSE
	return unused;
}

int main(void)
{
	pthread_t closer;

	if (sqlite3_open(":memory:", &db) ||
	    sqlite3_exec(db, "create table t (n int)", NULL, NULL, NULL))
		return 1;
	pthread_create(&client, NULL, ask, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(client, NULL);
#endif
	pthread_join(closer, NULL);
	return changed != 1;
}
