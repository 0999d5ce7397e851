// GPredict, figure 10 (Derby 2861): the columns are looked at twice, and can be gone at the second
// time. Another field is set to null under its own lock.
// property: papers.prop
// violates: NullPointerDereference deref@CHECK setNull@FORGET
// violates: NullPointerDereference deref@USE setNull@FORGET
// violates: DataRace rd@CHECK wr@FORGET
// violates: DataRace rd@USE wr@FORGET
// violates: AnyFieldNull deref@CHECK setNull@FORGET
// violates: AnyFieldNull deref@USE setNull@FORGET
#include <pthread.h>
#include <stddef.h>

struct columns {
	int set;
};
struct table {
	struct columns *refcols;
	const char *name;
};
static struct columns columns = { 5 };
static struct table table = { &columns, "orders" };
static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER;
static struct table *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int logged;
int named;

static void log_access(struct table *o)
{
	pthread_mutex_lock(&names);
	logged++;
	last = o;
	pthread_mutex_unlock(&names);
}

static int object_name(struct table *o)
{
	int set;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	if (o->refcols == NULL) // CHECK
		return 0;
	log_access(o);
	set = o->refcols->set; // USE
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return set;
}

static void forget_columns(struct table *o)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	o->refcols = NULL; // FORGET
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	pthread_mutex_lock(&names);
	o->name = NULL;
	pthread_mutex_unlock(&names);
}

static void *ask(void *unused)
{
	named = object_name(&table);
	return unused;
}

static void *forget(void *unused)
{
	forget_columns(&table);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, ask, NULL);
	pthread_create(&threads[1], NULL, forget, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	return logged > 1 || !last == logged;
}
