/* Prints the property events of a text trace, for the tests of src/property. */
#ifndef TEST_PROPERTY_MAKE_H
#define TEST_PROPERTY_MAKE_H

#include "base/file.h"
#include "property/property.h"
#include "spec/spec.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline struct trace *make_trace(const char *text)
{
	char path[] = "/tmp/sooth-test-XXXXXX";
	int fd = mkstemp(path);
	struct trace *trace = NULL;
	struct err err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	if (!trace_open(path, &trace, &err))
		fail_msg("%s", err.text);
	unlink(path);
	return trace;
}

static inline struct spec_file *make_file(const char *text)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("test.prop", text, &messages);

	if (!file || messages.errors)
		fail_msg("%s", messages.list.count ? messages.list.items[0].shown : "no file");
	spec_messages_free(&messages);
	return file;
}

/* Prints a value: "o1", "7", or "o1'" for the second lifetime. */
static inline void print_value(FILE *out, const struct property_value *value)
{
	if (value->text)
		fprintf(out, "%.*s", (int)value->length, value->text);
	else if (value->type == SPEC_FLOATING) {
		double number;

		memcpy(&number, &value->bits, sizeof number);
		fprintf(out, "%g", number);
	} else
		fprintf(out, "%" PRId64, (int64_t)value->bits);
	for (uint32_t i = 0; i < value->life; i++)
		fputc('\'', out);
}

/*
 * Returns one line per event: name, thread.index, with "-" before it for `before`, the binding, and
 * "?" at the end for `may_be_next`.
 */
static inline char *show_events(const struct trace *trace, const struct property_events *events)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];
		const char *thread = trace_thread_name(trace, e->id.stream);

		fprintf(out, "%s %s%s.%" PRIu64, events->property->events[e->event].name,
			e->before ? "-" : "", thread ? thread : "?", e->id.index);
		for (uint32_t p = 0; p < events->parameters; p++) {
			uint32_t number = events->bindings.items[e->bindings + p];

			fputc(' ', out);
			if (number == PROPERTY_NONE)
				fputc('_', out);
			else
				print_value(out, &events->values.items[number]);
		}
		fprintf(out, "%s\n", e->may_be_next ? " ?" : "");
	}
	fclose(out);
	return text;
}

static inline char *show_unseen(const struct property_events *events)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < events->unseen.count; i++)
		fprintf(out, "%s\n", events->unseen.items[i]);
	for (size_t i = 0; i < events->blind.count; i++)
		fprintf(out, "blind %s\n", events->property->events[events->blind.items[i]].name);
	fclose(out);
	return text;
}

/*
 * Expects the events of the first property, and the messages about what was not recorded ("" for
 * none).
 */
static inline void expect_events(const char *properties, const char *text, const char *events,
				 const char *unseen)
{
	struct trace *trace = make_trace(text);
	struct spec_file *file = make_file(properties);
	struct property_set set;
	char *shown;
	struct err err;

	if (!property_read(trace, &file, 1, &set, &err))
		fail_msg("%s", err.text);
	shown = show_events(trace, &set.properties.items[0]);
	assert_string_equal(shown, events);
	free(shown);
	shown = show_unseen(&set.properties.items[0]);
	assert_string_equal(shown, unseen);
	free(shown);
	property_set_free(&set);
	spec_free(file);
	trace_close(trace);
}

#endif
