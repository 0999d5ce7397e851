/*
 * h2: clients of one connection insert rows into two tables. One of them drops the tables and
 * closes the connection when its own work is done. 4 threads besides main.
 */
#include "sql.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

#define CLIENTS 3
#define UPDATES 3

static sqlite3 *db;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rows, failed;

static int create_table(sqlite3 *conn, const char *table)
{
	return run(conn, "create table %s (n int)", table);
}

static int delete_table(sqlite3 *conn, const char *table)
{
	return run(conn, "drop table %s", table);
}

static void count(int result)
{
	pthread_mutex_lock(&lock);
	rows++;
	failed |= result;
	pthread_mutex_unlock(&lock);
}

static void *client(void *which)
{
	const char *sql = which ? "insert into orders values (1)" : "insert into users values (1)";

	for (int i = 0; i < UPDATES; i++)
		count(sqlite3_exec(db, sql, NULL, NULL, NULL));
	return NULL;
}

static void *closer(void *unused)
{
	delete_table(db, "orders");
	delete_table(db, "users");
	sqlite3_close(db);
	return unused;
}

int main(void)
{
	pthread_t threads[CLIENTS + 1];

	if (sqlite3_open(":memory:", &db) || create_table(db, "orders") ||
	    create_table(db, "users"))
		return 1;
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, (void *)(i % 2));
	pthread_create(&threads[CLIENTS], NULL, closer, NULL);
	for (int i = 0; i <= CLIENTS; i++)
		pthread_join(threads[i], NULL);
	printf("%d rows\n", rows);
	return failed || rows != CLIENTS * UPDATES;
}
