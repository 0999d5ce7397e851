/*
 * The machine of a user's monitor (plugin.h): numbers the user's states by hash and equality, and
 * feeds them the events of each step.
 */
#include "monitor/plugin/plugin.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "monitor/formula/input_symbols.h"

#include <string.h>

/* A state of the user's monitor. */
struct user_state {
	void *state;
	uint32_t same; /* 1 + another user state with the same hash; 0: none */
	bool bad, bad_at_end;
};

/* A state of the machine: a user state, and the values of variables, which decide `becomes`. */
struct plugin_state {
	uint32_t user_state, values;
};

/*
 * No user state, and nothing bad can follow: the user's monitor returned no next state, or it is
 * unknown what happened.
 */
#define NO_STATE UINT32_MAX

typedef VEC(uint32_t) number_list;

struct plugin {
	struct machine machine;
	struct plugin_driver driver;
	const struct property_events *events;
	const struct labels *labels;
	struct input_symbols *symbols;
	uint32_t property, first;
	const char *path;
	VEC(struct user_state) user_states;
	struct map index; /* from a hash to the last user state with it, + 1 */
	VEC(struct plugin_state) states;
	struct intern state_numbers;
	struct map successors; /* (state, label) to the start of its list in `lists` */
	number_list lists;     /* each list: its length, then the states */
	bool met_unknown;
};

/* ---- states ---------------------------------------------------------------------------------- */

/* Finds the number of a user state. Takes over the state. */
static bool number_user_state(struct plugin *p, void *state, uint32_t *number, struct err *err)
{
	struct plugin_driver *d = &p->driver;
	uint64_t *last = map_put(&p->index, d->hash(d->self, state), NULL);
	struct user_state made = { .state = state, .same = (uint32_t)*last };
	bool full = p->user_states.count == MACHINE_STATES;

	for (uint32_t i = made.same; i; i = p->user_states.items[i - 1].same) {
		if (!d->equal(d->self, p->user_states.items[i - 1].state, state))
			continue;
		d->free_state(d->self, state);
		*number = i - 1;
		return true;
	}
	if (full)
		err_set(err, "%s: more than %u different states", p->path, MACHINE_STATES);
	if (full || !d->classify(d->self, state, &made.bad, &made.bad_at_end, err)) {
		d->free_state(d->self, state);
		return false;
	}
	*number = (uint32_t)p->user_states.count;
	*vec_push(&p->user_states) = made;
	*last = p->user_states.count;
	return true;
}

static uint32_t number_state(struct plugin *p, struct plugin_state state)
{
	bool fresh;
	uint32_t number;

	/* a bad user state has only one machine state, whatever the values; so has NO_STATE */
	if (state.user_state == NO_STATE || p->user_states.items[state.user_state].bad)
		state.values = 0;
	number = intern_put(&p->state_numbers, (const char *)&state, sizeof state, &fresh);
	if (fresh)
		*vec_push(&p->states) = state;
	return number;
}

static void add_once(number_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == number)
			return;
	*vec_push(list) = number;
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct sooth_value value_of(const struct property_value *v, uint32_t number)
{
	struct sooth_value value = { .type = SOOTH_NUMBER,
				     .number = (int64_t)v->bits,
				     .identity = number };

	if (v->text) {
		value.type = SOOTH_STRING;
		value.text = v->text;
		value.length = v->length;
	} else if (v->type == SPEC_FLOATING) {
		value.type = SOOTH_REAL;
		memcpy(&value.real, &v->bits, sizeof value.real);
	}
	return value;
}

/* Replaces each user state in the list by its successors. */
static bool step_list(struct plugin *p, number_list *list, const struct sooth_event *event,
		      struct err *err)
{
	number_list next = { 0 };
	plugin_states found = { 0 };
	bool good = true;

	for (size_t i = 0; i < list->count && good; i++) {
		uint32_t number = list->items[i];

		if (p->user_states.items[number].bad) { /* a bad state stays bad */
			add_once(&next, number);
			continue;
		}
		found.count = 0;
		good = p->driver.step(p->driver.self, p->user_states.items[number].state, event,
				      &found, err);
		for (size_t k = 0; k < found.count; k++) {
			if (!good)
				p->driver.free_state(p->driver.self, found.items[k]);
			else if ((good = number_user_state(p, found.items[k], &number, err)))
				add_once(&next, number);
		}
	}
	vec_free(&found);
	vec_free(list);
	*list = next;
	return good;
}

static bool step_event(struct plugin *p, number_list *list, const struct label_event *what,
		       struct err *err)
{
	const struct spec_property *property = p->events->property;
	uint32_t count = property->parameter_count;
	struct sooth_value *values = mem_zalloc(count + 1, sizeof *values);
	struct sooth_event event = { .number = what->event,
				     .name = property->events[what->event].name,
				     .thread = what->thread,
				     .value_count = count,
				     .values = values };
	bool bound = p->labels->rich && what->bindings != PROPERTY_NONE, good;

	for (uint32_t i = 0; i < count && bound; i++) {
		uint32_t number = p->events->bindings.items[what->bindings + i];

		if (number != PROPERTY_NONE)
			values[i] = value_of(&p->events->values.items[number], number);
	}
	good = step_list(p, list, &event, err);
	free(values);
	return good;
}

/*
 * Passes the events of a step to the user's monitor one after the other; those of `becomes` come
 * last.
 */
static bool step_label(struct plugin *p, number_list *list, uint32_t label, uint64_t happens,
		       struct err *err)
{
	const struct label *l = &p->labels->list.items[label];

	for (uint32_t i = 0; i < l->event_count; i++) {
		if (l->events[i].property != p->property)
			continue;
		happens &= ~(1ull << l->events[i].event);
		if (!step_event(p, list, &l->events[i], err))
			return false;
	}
	for (; happens; happens &= happens - 1) {
		struct label_event became = { .property = p->property,
					      .event = (uint32_t)__builtin_ctzll(happens),
					      .bindings = PROPERTY_NONE };

		if (!step_event(p, list, &became, err))
			return false;
	}
	return true;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* Appends the successors as a new list at the end of `lists`. */
static bool find_successors(struct plugin *p, struct plugin_state from, uint32_t label,
			    struct err *err)
{
	size_t start = p->lists.count;
	number_list list = { 0 };
	struct input_symbol symbol;
	bool good = true;

	input_symbols_step(p->symbols, from.values, label, &symbol);
	*vec_push(&list) = from.user_state;
	if (symbol.unknown)
		list.count = 0;
	else
		good = step_label(p, &list, label, symbol.holds, err);
	p->met_unknown |= symbol.unknown != 0;
	if (!list.count)
		*vec_push(&list) = NO_STATE;
	*vec_push(&p->lists) = 0;
	for (size_t i = 0; i < list.count && good; i++) {
		*vec_push(&p->lists) =
			number_state(p, (struct plugin_state){ list.items[i], symbol.values });
		p->lists.items[start]++;
	}
	vec_free(&list);
	return good;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct plugin *p = self;
	struct plugin_state from = p->states.items[state];
	uint64_t key = (uint64_t)state << 32 | label;
	const uint64_t *successors = map_get(&p->successors, key);
	size_t start = successors ? *successors : p->lists.count;

	if (from.user_state == NO_STATE || p->user_states.items[from.user_state].bad) {
		*vec_push(next) = state;
		return true;
	}
	if (!successors && !find_successors(p, from, label, err))
		return false;
	if (!successors)
		*map_put(&p->successors, key, NULL) = start;
	if (p->states.count > MACHINE_STATES)
		return err_set(err, "%s: more than %u different states", p->path, MACHINE_STATES);
	for (uint32_t i = 0; i < p->lists.items[start]; i++)
		*vec_push(next) = p->lists.items[start + 1 + i];
	return true;
}

static const struct user_state *user_state_of(const struct plugin *p, uint32_t state)
{
	static const struct user_state nowhere = { .state = NULL };
	uint32_t number = p->states.items[state].user_state;

	return number == NO_STATE ? &nowhere : &p->user_states.items[number];
}

static uint32_t initial(void *self)
{
	return ((struct plugin *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	return user_state_of(self, state)->bad;
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	return user_state_of(self, state)->bad || user_state_of(self, state)->bad_at_end;
}

static bool is_safe(void *self, uint32_t state)
{
	return !user_state_of(self, state)->state;
}

static const char *doubt(void *self)
{
	return ((struct plugin *)self)->met_unknown
		       ? "whether an event happened depends on a value that was not recorded: such "
			 "runs were not judged from there on"
		       : NULL;
}

static void free_plugin(void *self)
{
	struct plugin *p = self;

	for (size_t i = 0; i < p->user_states.count; i++)
		p->driver.free_state(p->driver.self, p->user_states.items[i].state);
	if (p->driver.close)
		p->driver.close(p->driver.self);
	if (p->symbols)
		input_symbols_close(p->symbols);
	vec_free(&p->user_states);
	map_free(&p->index);
	vec_free(&p->states);
	intern_free(&p->state_numbers);
	map_free(&p->successors);
	vec_free(&p->lists);
	free(p);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool set_first_state(struct plugin *p, struct err *err)
{
	const struct spec_property *property = p->events->property;
	const char **names =
		mem_zalloc(property->event_count + property->parameter_count + 1, sizeof *names);
	struct sooth_about about = { .property = property->name,
				     .events = names,
				     .parameters = names + property->event_count,
				     .event_count = property->event_count,
				     .parameter_count = property->parameter_count };
	struct input_symbol symbol;
	void *state = NULL;
	uint32_t number = NO_STATE;
	bool good;

	for (uint32_t i = 0; i < property->event_count; i++)
		names[i] = property->events[i].name;
	for (uint32_t i = 0; i < property->parameter_count; i++)
		names[property->event_count + i] = property->parameters[i].name;
	good = p->driver.first(p->driver.self, &about, &state, err) &&
	       number_user_state(p, state, &number, err);
	free(names);
	input_symbols_first(p->symbols, &symbol);
	if (good)
		p->first = number_state(p, (struct plugin_state){ number, symbol.values });
	return good;
}

/* A name that does not begin with a slash is relative to the property file's directory. */
static char *resolve_path(const char *file, const char *directory)
{
	if (file[0] == '/' || !directory || !directory[0])
		return mem_copy_text(file, strlen(file));
	return mem_format("%s/%s", directory, file);
}

static bool open_driver(struct plugin *p, const char *path, struct err *err)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".lua"))
		return plugin_open_lua(path, &p->driver, err);
	if (dot && !strcmp(dot, ".so"))
		return plugin_open_c(path, &p->driver, err);
	return err_set(err, "%s: a monitor must be a .so or a .lua file", path);
}

struct machine *plugin_open(const struct property_set *set, uint32_t property,
			    const struct spec_formula *formula, const struct labels *labels,
			    const char *directory, struct err *err)
{
	struct plugin *p = mem_zalloc(1, sizeof *p);
	char *path = resolve_path(formula->text, directory);
	bool good;

	p->events = &set->properties.items[property];
	p->property = property;
	p->labels = labels;
	p->path = formula->text;
	p->machine = (struct machine){ .self = p,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .is_safe = is_safe,
				       .free = free_plugin,
				       .doubt = doubt };
	p->symbols = input_symbols_open(set, property, labels, NULL, 0, err);
	good = p->symbols && open_driver(p, path, err) && set_first_state(p, err);
	free(path);
	if (good)
		return &p->machine;
	free_plugin(p);
	return NULL;
}
