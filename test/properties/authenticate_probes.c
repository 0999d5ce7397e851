// The same with probes, and two resources of which only one can be used too early.
// property: authenticate-before-use
// violates: AuthenticateBeforeUse use@USE auth@AUTH
#include <pthread.h>
#include <sooth/annotate.h>

struct resource {
	pthread_mutex_t lock;
	int is_known, used;
};
static struct resource early = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };
static struct resource late = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };

static void let_in(struct resource *r)
{
	pthread_mutex_lock(&r->lock);
	r->is_known = 1;
	SOOTH_PROBE(app, auth, r); // AUTH
	pthread_mutex_unlock(&r->lock);
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&early.lock);
#ifdef FIXED
	if (early.is_known)
#endif
	{
		SOOTH_PROBE(app, use, &early); // USE
		early.used++;
	}
	pthread_mutex_unlock(&early.lock);
	pthread_mutex_lock(&late.lock);
	if (late.is_known) {
		SOOTH_PROBE(app, use, &late);
		late.used++;
	}
	pthread_mutex_unlock(&late.lock);
	return unused;
}

static void *open_all(void *unused)
{
	let_in(&early);
	let_in(&late);
	return unused;
}

int main(void)
{
	pthread_t opener, server;

	pthread_create(&opener, NULL, open_all, NULL);
	pthread_create(&server, NULL, serve, NULL);
	pthread_join(opener, NULL);
	pthread_join(server, NULL);
	return 0;
}
