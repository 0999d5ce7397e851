// A statement that two threads share is finalized by one of them.
// property: sqlite
// needs: sqlite3
// violates: StepAfterFinalize finalize@FINALIZE use@STEP
// violates: StepAfterFinalize finalize@FINALIZE use@COLUMN
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

static sqlite3 *db;
static sqlite3_stmt *question;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answer;

static void *ask(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	if (question)
#endif
	{
		if (sqlite3_step(question) == SQLITE_ROW)	  // STEP
			answer = sqlite3_column_int(question, 0); // COLUMN
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

static void *end(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	sqlite3_finalize(question); // FINALIZE
#ifdef FIXED
	question = NULL;
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t client, closer;
	sqlite3_stmt *made;

	if (sqlite3_open(":memory:", &db) ||
	    sqlite3_prepare_v2(db, "select 6 * 7", -1, &made, NULL))
		return 1;
	question = made;
	pthread_create(&client, NULL, ask, NULL);
	pthread_create(&closer, NULL, end, NULL);
	pthread_join(client, NULL);
	pthread_join(closer, NULL);
	sqlite3_close(db);
	pthread_mutex_destroy(&lock);
	return answer != 42;
}
