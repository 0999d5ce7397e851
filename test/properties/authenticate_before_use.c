// A session is authenticated by one thread and used by another, which nothing makes wait for it.
// property: authenticate-before-use
// property: papers.prop
// violates: AuthenticateBeforeUse use@USE auth@AUTH
// violates: AuthBeforeUse use@USE auth@AUTH
// violates: AuthBeforeUse use@USE
#include <pthread.h>

struct session {
	int user, sent;
};
static struct session session;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static int authenticate(struct session *r)
{
	int known;

	pthread_mutex_lock(&lock);
	r->user = 7;
	known = r->user == 7;
	pthread_mutex_unlock(&lock);
	return known; // AUTH
}

static void use_send(struct session *r, const char *text) // USE
{
	pthread_mutex_lock(&lock);
	r->sent += text[0] != 0;
	pthread_mutex_unlock(&lock);
}

static void *log_in(void *unused)
{
	int known = authenticate(&session);

	pthread_mutex_lock(&lock);
	is_ready = known;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *work(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (!is_ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#endif
	use_send(&session, "hello");
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, log_in, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return session.sent != 1;
}
