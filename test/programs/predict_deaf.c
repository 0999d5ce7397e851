// What was put into a pipe went in before its last reading end was closed: behind that it would have failed. So what
// is done behind a write, under a lock, is not next when what is behind the close is. Before the write nothing of that is known;
// and a copy that is closed says nothing as long as there is another.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2 2 2
// predict: race early@BEFORE early@BEHIND
// predict: race copied@INSIDE copied@CLOSED_COPY
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], sockets[2], copies[2], other;
static volatile int early, piped, sent, copied;

static void *writer(void *unused)
{
	early = 1; // BEFORE
	pthread_mutex_lock(&lock);
	if (write(ends[1], "x", 1) == 1)
		piped = 1;
	if (send(sockets[1], "x", 1, MSG_NOSIGNAL) == 1)
		sent = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	if (write(copies[1], "x", 1) == 1)
		copied = 1; // INSIDE
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static void *closer(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	close(copies[0]);
	pthread_mutex_unlock(&lock);
	copied = 2; // CLOSED_COPY
	pthread_mutex_lock(&lock);
	close(ends[0]);
	close(sockets[0]);
	pthread_mutex_unlock(&lock);
	early = 2; // BEHIND
	piped = 2;
	sent = 2;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) || pipe(copies) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	other = dup(copies[0]);
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, closer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", early, copied, piped, sent);
	return 0;
}
