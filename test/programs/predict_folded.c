// A text that the compiler knows is written by whoever writes it, whatever becomes of the call.
// build: -pthread
// plain: lib/turn.c
// stdout: 12
// predict: silent
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made[ALL], found;
static char text[ALL][32];

/* What comes before is made ready; its text tells of that, under the lock. */
#define TELL(i, call)                                                                              \
	made[i] = 1;                                                                               \
	pthread_mutex_lock(&lock);                                                                 \
	call;                                                                                      \
	pthread_mutex_unlock(&lock);

static void *tell(void *unused)
{
	TELL(0, snprintf(text[0], sizeof text[0], "text"))
	TELL(1, sprintf(text[1], "text"))
	TELL(2, sprintf(text[2], "%s", "text"))
	TELL(3, snprintf(text[3], 3, "more text"))
	TELL(4, strcpy(text[4], "text"))
	TELL(5, stpcpy(text[5], "text"))
	TELL(6, strncpy(text[6], "text", 8))
	TELL(7, strcat(text[7], "text"))
	TELL(8, memset(text[8], 1, 5))
	TELL(9, memccpy(text[9], "text", 'x', 8))
	TELL(10, wmemset((wchar_t *)text[10], L'x', 4))
	TELL(11, snprintf(text[11], sizeof text[11], "%c", 'x'))
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, tell, NULL);
	turn_wait(1);
	for (int i = 0; i < ALL; i++) {
		pthread_mutex_lock(&lock);
		char told = text[i][0];
		pthread_mutex_unlock(&lock);
		if (told)
			found += made[i];
	}
	pthread_join(thread, NULL);
	printf("%d\n", found);
	return 0;
}
