/*
 * Runs machines on words. A word is a list of steps separated by blanks. A step is what happens at
 * once, separated by commas: `a` is an event, `x=3` a write of a variable (8 bytes, signed),
 * `x.1=3` a write of its byte 1 only, `x=?` a write of an unknown value, `-` nothing.
 */
#ifndef TEST_MONITOR_MAKE_H
#define TEST_MONITOR_MAKE_H

#include "monitor/formula/machine.h"
#include "property/raw_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct made {
	struct spec_file *file;
	struct property_set set;
	struct labels labels;
	VEC(uint32_t) word;
};

/* There are variables x, y and z. x starts with 0, y with 5, and z with an unknown value. */
static inline void made_open(struct made *m, const char *property)
{
	static const char *const names[] = { "x", "y", "z" };
	struct spec_messages messages = { 0 };
	char *text;

	*m = (struct made){ 0 };
	assert_true(asprintf(&text, "extern long x, y, z, nowhere;\n%s", property) > 0);
	m->file = spec_parse("test.prop", text, &messages);
	if (!m->file || messages.errors)
		fail_msg("%s", messages.list.count ? messages.list.items[0].shown : text);
	spec_messages_free(&messages);
	free(text);
	*vec_push(&m->set.properties) = (struct property_events){ .property = m->file->properties };
	m->set.properties.items[0].parameters = m->file->properties->parameter_count;
	labels_init(&m->labels, true);
	for (unsigned i = 0; i < 3; i++) {
		struct label_variable v = { .name = names[i],
					    .size = 8,
					    .form = RAW_VALUE_SIGNED,
					    .known = true,
					    .initial_unknown = i == 2 };

		v.initial[0] = i == 1 ? 5 : 0;
		*vec_push(&m->labels.variables) = v;
	}
}

static inline void made_close(struct made *m)
{
	for (size_t i = 0; i < m->set.properties.count; i++) {
		vec_free(&m->set.properties.items[i].values);
		vec_free(&m->set.properties.items[i].bindings);
	}
	vec_free(&m->set.properties);
	labels_free(&m->labels);
	vec_free(&m->word);
	spec_free(m->file);
}

static inline void made_part(struct made *m, const char *part, struct label_write *writes,
			     struct label *label, struct label_event *events)
{
	const struct spec_property *p = m->file->properties;
	char name[64];
	const char *equals = strchr(part, '=');

	if (equals) {
		struct label_write *w = &writes[label->write_count++];
		int64_t value = equals[1] == '?' ? 0 : strtoll(equals + 1, NULL, 0);
		bool byte = part[1] == '.';

		*w = (struct label_write){ .variable = (uint32_t)(part[0] - 'x'),
					   .offset = byte ? (uint8_t)(part[2] - '0') : 0,
					   .size = byte ? 1 : 8,
					   .unknown = equals[1] == '?' };
		memcpy(w->bytes, &value, sizeof value);
		return;
	}
	/* a:1 binds the first parameter to value 1 */
	snprintf(name, sizeof name, "%.*s", (int)strcspn(part, ":"), part);
	for (uint32_t i = 0; i < p->event_count; i++)
		if (!strcmp(p->events[i].name, name)) {
			struct property_events *all = &m->set.properties.items[0];
			struct label_event *e = &events[label->event_count++];

			*e = (struct label_event){ .event = i,
						   .thread = 3,
						   .bindings = (uint32_t)all->bindings.count };
			for (uint32_t k = 0; k < p->parameter_count; k++)
				*vec_push(&all->bindings) =
					strchr(part, ':') ? (uint32_t)atoi(strchr(part, ':') + 1)
							  : PROPERTY_NONE;
			return;
		}
	assert_string_equal(part, "-");
}

static inline void made_word(struct made *m, const char *word)
{
	char *steps = strdup(word), *rest = steps, *step;

	m->word.count = 0;
	while ((step = strsep(&rest, " "))) {
		struct label_write writes[8];
		struct label_event events[8];
		struct label label = { .writes = writes, .events = events };
		char *part;

		if (!*step)
			continue;
		while ((part = strsep(&step, ",")))
			made_part(m, part, writes, &label, events);
		*vec_push(&m->word) = labels_put(&m->labels, &label);
	}
	free(steps);
}

/*
 * Returns the machine's verdicts on the first state and after each step: B bad, S safe, ! bad if it
 * ends here, . none of these.
 */
static inline const char *made_verdicts(struct made *m, struct machine *machine)
{
	static char said[256];
	machine_states next = { 0 };
	uint32_t state = machine->initial(machine->self);
	struct err err;
	size_t i = 0;

	for (;; i++) {
		void *self = machine->self;

		assert_true(i < sizeof said - 1);
		said[i] = machine->is_bad(self, state)		? 'B'
			  : machine->is_safe(self, state)	? 'S'
			  : machine->is_bad_at_end(self, state) ? '!'
								: '.';
		if (i == m->word.count || said[i] == 'B')
			break;
		next.count = 0;
		if (!machine->step(self, state, m->word.items[i], &next, &err))
			fail_msg("%s", err.text);
		assert_int_equal(next.count, 1);
		state = next.items[0];
	}
	said[i + 1] = 0;
	vec_free(&next);
	return said;
}

static inline struct machine *made_machine(struct made *m, const char *directory)
{
	struct err err;
	struct machine *machine = machine_of_formula(&m->set, 0, m->file->properties->formulas,
						     &m->labels, directory, &err);

	if (!machine)
		fail_msg("%s", err.text);
	return machine;
}

#endif
