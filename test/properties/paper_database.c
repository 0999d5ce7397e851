// GPredict, figure 11, on SQLite: a table is dropped and the connection closed while another thread
// may still put rows in.
// property: papers.prop
// needs: sqlite3
// violates: UnsafeDatabaseAccess open@OPEN create@CREATE update@UPDATE delete@DELETE close@CLOSE
#include "../../bench/studies/sql.h"

#include <pthread.h>
#include <sqlite3.h>

static sqlite3 *db;
static pthread_t client;

static int create_table(sqlite3 *conn, const char *table) // CREATE
{
	return run(conn, "create table %s (n int)", table);
}

static int delete_table(sqlite3 *conn, const char *table) // DELETE
{
	return run(conn, "drop table %s", table);
}

static void *work(void *unused)
{
	sqlite3_exec(db, "insert into orders values (1)", NULL, NULL, NULL); // UPDATE
	return unused;
}

static void *end(void *unused)
{
#ifdef FIXED
	pthread_join(client, NULL);
#endif
	delete_table(db, "orders");
	sqlite3_close(db); // CLOSE
	return unused;
}

int main(void)
{
	pthread_t closer;

	if (sqlite3_open(":memory:", &db)) // OPEN
		return 1;
	if (create_table(db, "orders"))
		return 1;
	pthread_create(&client, NULL, work, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(client, NULL);
#endif
	pthread_join(closer, NULL);
	return 0;
}
