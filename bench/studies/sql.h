/*
 * Runs an SQL statement about a table on SQLite. For the programs of figure 11 (also in
 * test/properties).
 */
#ifndef SQL_H
#define SQL_H

#include <sqlite3.h>
#include <stdio.h>

/* `format` has a %s for the table. Returns 0 on success. */
static int run(sqlite3 *conn, const char *format, const char *table)
{
	sqlite3_stmt *statement;
	char sql[200];
	int result;

	snprintf(sql, sizeof sql, format, table);
	if (sqlite3_prepare_v2(conn, sql, -1, &statement, NULL))
		return 1;
	result = sqlite3_step(statement) != SQLITE_DONE;
	sqlite3_finalize(statement);
	return result;
}

#endif
