#include "monitor/plugin/plugin.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "monitor/formula/input_symbols.h"

#include <stdio.h>
#include <string.h>

/* A state of the user's. */
struct theirs {
	void *state;
	uint32_t same; /* another one with this hash, + 1 */
	bool bad, bad_at_end;
};

/* A state of the machine: theirs, and the values of variables, which decide on `becomes`. */
struct plugin_state {
	uint32_t theirs, values;
};

/* Nothing comes of it: the user's monitor gave no next state, or what happened is not known. */
#define NOWHERE UINT32_MAX

typedef VEC(uint32_t) numbers;

struct plugin {
	struct machine machine;
	struct plugin_driver driver;
	const struct property_events *events;
	const struct labels *labels;
	struct input_symbols *letters;
	uint32_t property, first;
	const char *path;
	VEC(struct theirs) theirs;
	struct map index; /* by hash: the last of theirs, + 1 */
	VEC(struct plugin_state) states;
	struct intern state_numbers;
	struct map known; /* state and label: where their list starts in `lists` */
	numbers lists;	  /* how many, and then the states */
	bool doubted;
};

/* ---- states ---------------------------------------------------------------------------------- */

/* The number of a state, which is taken over. */
static bool put_theirs(struct plugin *p, void *state, uint32_t *number, struct err *err)
{
	struct plugin_driver *d = &p->driver;
	uint64_t *last = map_put(&p->index, d->hash(d->self, state), NULL);
	struct theirs made = { .state = state, .same = (uint32_t)*last };
	bool full = p->theirs.count == MACHINE_STATES;

	for (uint32_t i = made.same; i; i = p->theirs.items[i - 1].same) {
		if (!d->equal(d->self, p->theirs.items[i - 1].state, state))
			continue;
		d->free_state(d->self, state);
		*number = i - 1;
		return true;
	}
	if (full)
		err_set(err, "%s: more than %u different states", p->path, MACHINE_STATES);
	if (full || !d->judge(d->self, state, &made.bad, &made.bad_at_end, err)) {
		d->free_state(d->self, state);
		return false;
	}
	*number = (uint32_t)p->theirs.count;
	*vec_push(&p->theirs) = made;
	*last = p->theirs.count;
	return true;
}

static uint32_t put_state(struct plugin *p, struct plugin_state state)
{
	bool fresh;
	uint32_t number;

	/* of those that are settled there is one each */
	if (state.theirs == NOWHERE || p->theirs.items[state.theirs].bad)
		state.values = 0;
	number = intern_put(&p->state_numbers, (const char *)&state, sizeof state, &fresh);
	if (fresh)
		*vec_push(&p->states) = state;
	return number;
}

static void add_once(numbers *list, uint32_t number)
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

/* What an event makes of each state of the list. */
static bool step_list(struct plugin *p, numbers *list, const struct sooth_event *event,
		      struct err *err)
{
	numbers next = { 0 };
	plugin_states found = { 0 };
	bool good = true;

	for (size_t i = 0; i < list->count && good; i++) {
		uint32_t number = list->items[i];

		if (p->theirs.items[number].bad) { /* and stays so */
			add_once(&next, number);
			continue;
		}
		found.count = 0;
		good = p->driver.step(p->driver.self, p->theirs.items[number].state, event, &found,
				      err);
		for (size_t k = 0; k < found.count; k++) {
			if (!good)
				p->driver.free_state(p->driver.self, found.items[k]);
			else if ((good = put_theirs(p, found.items[k], &number, err)))
				add_once(&next, number);
		}
	}
	vec_free(&found);
	vec_free(list);
	*list = next;
	return good;
}

static bool step_event(struct plugin *p, numbers *list, const struct label_event *what,
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

/* What happens at once comes one after the other; what became true comes last. */
static bool step_label(struct plugin *p, numbers *list, uint32_t label, uint64_t happens,
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

/* ---- the machine ------------------------------------------------------------------------------- */

/* The states behind a step, as a new list at the end of `lists`. */
static bool find_next(struct plugin *p, struct plugin_state from, uint32_t label, struct err *err)
{
	size_t start = p->lists.count;
	numbers list = { 0 };
	struct letter letter;
	bool good = true;

	input_symbols_step(p->letters, from.values, label, &letter);
	*vec_push(&list) = from.theirs;
	if (letter.unknown)
		list.count = 0;
	else
		good = step_label(p, &list, label, letter.holds, err);
	p->doubted |= letter.unknown != 0;
	if (!list.count)
		*vec_push(&list) = NOWHERE;
	*vec_push(&p->lists) = 0;
	for (size_t i = 0; i < list.count && good; i++) {
		*vec_push(&p->lists) =
			put_state(p, (struct plugin_state){ list.items[i], letter.values });
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
	const uint64_t *known = map_get(&p->known, key);
	size_t start = known ? *known : p->lists.count;

	if (from.theirs == NOWHERE || p->theirs.items[from.theirs].bad) {
		*vec_push(next) = state;
		return true;
	}
	if (!known && !find_next(p, from, label, err))
		return false;
	if (!known)
		*map_put(&p->known, key, NULL) = start;
	if (p->states.count > MACHINE_STATES)
		return err_set(err, "%s: more than %u different states", p->path, MACHINE_STATES);
	for (uint32_t i = 0; i < p->lists.items[start]; i++)
		*vec_push(next) = p->lists.items[start + 1 + i];
	return true;
}

static const struct theirs *theirs_of(const struct plugin *p, uint32_t state)
{
	static const struct theirs nowhere = { .state = NULL };
	uint32_t number = p->states.items[state].theirs;

	return number == NOWHERE ? &nowhere : &p->theirs.items[number];
}

static uint32_t initial(void *self)
{
	return ((struct plugin *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	return theirs_of(self, state)->bad;
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	return theirs_of(self, state)->bad || theirs_of(self, state)->bad_at_end;
}

static bool is_safe(void *self, uint32_t state)
{
	return !theirs_of(self, state)->state;
}

static const char *doubt(void *self)
{
	return ((struct plugin *)self)->doubted
		       ? "whether an event happened depends on a value that was not recorded: such "
			 "runs were not judged from there on"
		       : NULL;
}

static void free_plugin(void *self)
{
	struct plugin *p = self;

	for (size_t i = 0; i < p->theirs.count; i++)
		p->driver.free_state(p->driver.self, p->theirs.items[i].state);
	if (p->driver.close)
		p->driver.close(p->driver.self);
	if (p->letters)
		input_symbols_close(p->letters);
	vec_free(&p->theirs);
	map_free(&p->index);
	vec_free(&p->states);
	intern_free(&p->state_numbers);
	map_free(&p->known);
	vec_free(&p->lists);
	free(p);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool begin(struct plugin *p, struct err *err)
{
	const struct spec_property *property = p->events->property;
	const char **names =
		mem_zalloc(property->event_count + property->parameter_count + 1, sizeof *names);
	struct sooth_about about = { .property = property->name,
				     .events = names,
				     .parameters = names + property->event_count,
				     .event_count = property->event_count,
				     .parameter_count = property->parameter_count };
	struct letter letter;
	void *state = NULL;
	uint32_t number = NOWHERE;
	bool good;

	for (uint32_t i = 0; i < property->event_count; i++)
		names[i] = property->events[i].name;
	for (uint32_t i = 0; i < property->parameter_count; i++)
		names[property->event_count + i] = property->parameters[i].name;
	good = p->driver.first(p->driver.self, &about, &state, err) &&
	       put_theirs(p, state, &number, err);
	free(names);
	input_symbols_first(p->letters, &letter);
	if (good)
		p->first = put_state(p, (struct plugin_state){ number, letter.values });
	return good;
}

/* A name that does not begin with a slash is of a file beside the property file. */
static char *path_of(const char *file, const char *directory)
{
	char *path;

	if (file[0] == '/' || !directory || !directory[0])
		return mem_copy_text(file, strlen(file));
	if (asprintf(&path, "%s/%s", directory, file) < 0)
		abort();
	return path;
}

static bool open_driver(struct plugin *p, const char *path, struct err *err)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".lua"))
		return plugin_open_lua(path, &p->driver, err);
	if (dot && !strcmp(dot, ".so"))
		return plugin_open_c(path, &p->driver, err);
	return err_set(err, "%s: a monitor is a .so or a .lua", path);
}

struct machine *plugin_open(const struct property_set *set, uint32_t property,
			    const struct spec_formula *formula, const struct labels *labels,
			    const char *directory, struct err *err)
{
	struct plugin *p = mem_zalloc(1, sizeof *p);
	char *path = path_of(formula->text, directory);
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
	p->letters = input_symbols_open(set, property, labels, NULL, 0, err);
	good = p->letters && open_driver(p, path, err) && begin(p, err);
	free(path);
	if (good)
		return &p->machine;
	free_plugin(p);
	return NULL;
}
