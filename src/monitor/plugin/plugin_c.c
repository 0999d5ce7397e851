/* Users' monitors in C: a shared library with the symbol `sooth_monitor` (sooth/monitor.h). */
#include "monitor/plugin/plugin.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <string.h>

struct plugin_library {
	void *handle;
	const struct sooth_monitor *monitor;
	char *path;
};

static bool first(void *self, const struct sooth_about *about, void **state, struct err *err)
{
	struct plugin_library *l = self;

	*state = l->monitor->init(about);
	return *state || err_set(err, "%s: init returned no state", l->path);
}

struct state_adder {
	struct sooth_more more; /* must be first: the monitor gets a pointer to it */
	plugin_states *next;
};

static void add_state(struct sooth_more *more, void *state)
{
	if (state)
		*vec_push(((struct state_adder *)more)->next) = state;
}

static bool step(void *self, const void *state, const struct sooth_event *event,
		 plugin_states *next, struct err *err)
{
	struct plugin_library *l = self;
	struct state_adder state_adder = { { add_state }, next };
	void *copy = l->monitor->clone(state);
	int is_next;

	if (!copy)
		return err_set(err, "%s: clone returned no state", l->path);
	is_next = l->monitor->step(copy, event, &state_adder.more);
	if (is_next > 0)
		*vec_push(next) = copy;
	else
		l->monitor->free(copy);
	return is_next >= 0 ||
	       err_set(err, "%s: step failed at the event '%s'", l->path, event->name);
}

static bool classify(void *self, const void *state, bool *bad, bool *bad_at_end, struct err *err)
{
	const struct sooth_monitor *m = ((struct plugin_library *)self)->monitor;

	(void)err;
	*bad = m->is_bad(state);
	*bad_at_end = m->is_bad_at_end && m->is_bad_at_end(state);
	return true;
}

static uint64_t hash(void *self, const void *state)
{
	return ((struct plugin_library *)self)->monitor->hash(state);
}

static bool equal(void *self, const void *a, const void *b)
{
	return ((struct plugin_library *)self)->monitor->equal(a, b);
}

static void free_state(void *self, void *state)
{
	((struct plugin_library *)self)->monitor->free(state);
}

static void close_library(void *self)
{
	struct plugin_library *l = self;

	dlclose(l->handle);
	free(l->path);
	free(l);
}

/* Returns the name of a missing function, or NULL. */
static const char *missing_function(const struct sooth_monitor *m)
{
	return !m->init	    ? "init"
	       : !m->step   ? "step"
	       : !m->clone  ? "clone"
	       : !m->free   ? "free"
	       : !m->hash   ? "hash"
	       : !m->equal  ? "equal"
	       : !m->is_bad ? "is_bad"
			    : NULL;
}

static bool check_library(const char *path, void *handle, const struct sooth_monitor *m,
			  struct err *err)
{
	if (!handle)
		return err_set(err, "%s", dlerror());
	if (!m)
		return err_set(err, "%s: it does not define 'sooth_monitor' (sooth/monitor.h)",
			       path);
	if (m->version != SOOTH_MONITOR_VERSION)
		return err_set(err,
			       "%s: it was built for version %u of sooth/monitor.h, but this is "
			       "version %u",
			       path, m->version, SOOTH_MONITOR_VERSION);
	if (missing_function(m))
		return err_set(err, "%s: its sooth_monitor has no '%s'", path, missing_function(m));
	return true;
}

bool plugin_open_c(const char *path, struct plugin_driver *driver, struct err *err)
{
	/* Without a slash the loader would search its own directories. */
	char *name = NULL;
	void *handle;
	const struct sooth_monitor *monitor;
	struct plugin_library *l;

	if (!strchr(path, '/'))
		name = mem_format("./%s", path);
	handle = dlopen(name ? name : path, RTLD_NOW | RTLD_LOCAL);
	free(name);
	monitor = handle ? dlsym(handle, "sooth_monitor") : NULL;
	if (!check_library(path, handle, monitor, err)) {
		if (handle)
			dlclose(handle);
		return false;
	}
	l = mem_zalloc(1, sizeof *l);
	*l = (struct plugin_library){ handle, monitor, mem_copy_text(path, strlen(path)) };
	*driver = (struct plugin_driver){ .self = l,
					  .first = first,
					  .step = step,
					  .classify = classify,
					  .hash = hash,
					  .equal = equal,
					  .free_state = free_state,
					  .close = close_library };
	return true;
}
