/*
 * Writes and reads the text of a schedule: one item per line, words separated by blanks, # for
 * comments.
 */
#include "base/file.h"
#include "base/mem.h"
#include "explore/control/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAD "sooth-schedule 1"

static const struct {
	const char *word;
	uint32_t value;
} options[] = {
	{ "end-stuck", CONTROL_END_STUCK },
	{ "check-heap", CONTROL_CHECK_HEAP },
	{ "timeouts", CONTROL_TIMEOUTS },
}, choices[] = {
	{ "spurious", CONTROL_SPURIOUS },
	{ "timeout", CONTROL_TIMEOUT },
};

/* ---- writing --------------------------------------------------------------------------------- */

static void print_step(FILE *out, const char *word, const struct schedule_step *step)
{
	fprintf(out, "%s %" PRIu32 " %" PRIu32, word, step->thread, step->step);
	if (step->name)
		fprintf(out, "  %s %" PRIu64, step->name, step->occurrence);
	fputc('\n', out);
}

static void print_all(FILE *out, const struct schedule *s)
{
	fputs(HEAD "\n", out);
	if (s->about)
		fprintf(out, "# %s\n", s->about);
	fprintf(out, "expect %s\n", s->expect);
	if (s->property)
		fprintf(out, "property %s %" PRIu32 "\n", s->property, s->formula);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		if (s->options & options[i].value)
			fprintf(out, "option %s\n", options[i].word);
	}
	fputs("\n# thread: number, creator thread, child number (from 0)\n", out);
	for (size_t i = 1; i < s->threads.count; i++) {
		if (s->threads.items[i].creator != CONTROL_NONE)
			fprintf(out, "thread %zu %" PRIu32 " %" PRIu32 "\n", i,
				s->threads.items[i].creator, s->threads.items[i].child);
	}
	fputs("\n# run: the thread runs until it has done this step: thread, step (from 0), "
	      "operation,\n# object, site, occurrence of that operation in the thread (from 1)\n",
	      out);
	for (size_t i = 0; i < s->slices.count; i++)
		print_step(out, "run", &s->slices.items[i]);
	if (s->stops.count)
		fputs("\n# stop: the threads stand right before these steps at the same time\n",
		      out);
	for (size_t i = 0; i < s->stops.count; i++)
		print_step(out, "stop", &s->stops.items[i]);
	if (s->ends.count)
		fputs("\n# end: after these steps the threads wait forever\n", out);
	for (size_t i = 0; i < s->ends.count; i++)
		print_step(out, "end", &s->ends.items[i]);
	for (size_t i = 0; i < s->choices.count; i++)
		print_step(out,
			   s->choices.items[i].kind == CONTROL_SPURIOUS ? "spurious" : "timeout",
			   &s->choices.items[i].at);
}

bool schedule_write(const struct schedule *s, const char *path, struct err *err)
{
	char *text;
	size_t size;
	FILE *out = mem_stream(&text, &size);
	bool ok;

	print_all(out, s);
	mem_stream_close(out);
	ok = file_write(path, text, size, err);
	free(text);
	return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Cuts the next word off a line and returns it; NULL at the end of the line. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");

	if (!*word)
		return NULL;
	*line = word + strcspn(word, " \t");
	if (**line)
		*(*line)++ = 0;
	return word;
}

static bool read_number(char **line, uint64_t most, uint64_t *value)
{
	char *word = next_word(line), *end;

	if (!word || *word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !*end && !errno && *value <= most;
}

/* Reads THREAD STEP [OPERATION OBJECT SITE OCCURRENCE]. */
static bool read_step(char *line, struct schedule_step *step)
{
	uint64_t thread, number, occurrence;
	char *words[3];

	if (!read_number(&line, CONTROL_THREADS - 1, &thread) ||
	    !read_number(&line, UINT32_MAX - 1, &number))
		return false;
	*step = (struct schedule_step){ .thread = (uint32_t)thread, .step = (uint32_t)number };
	words[0] = next_word(&line);
	if (!words[0])
		return true;
	words[1] = next_word(&line);
	words[2] = words[1] ? next_word(&line) : NULL;
	if (!words[2] || !read_number(&line, UINT64_MAX, &occurrence) || !occurrence ||
	    next_word(&line))
		return false;
	step->name = mem_format("%s %s %s", words[0], words[1], words[2]);
	step->occurrence = occurrence;
	return true;
}

static bool read_thread(struct schedule *s, char *line)
{
	uint64_t number, creator, child;

	if (!read_number(&line, CONTROL_THREADS - 1, &number) ||
	    !read_number(&line, CONTROL_THREADS - 1, &creator) ||
	    !read_number(&line, UINT32_MAX - 1, &child) || next_word(&line) || !number)
		return false;
	while (s->threads.count <= number)
		*vec_push(&s->threads) = (struct control_thread){ CONTROL_NONE, 0 };
	s->threads.items[number] = (struct control_thread){ (uint32_t)creator, (uint32_t)child };
	return true;
}

/* Reads NAME FORMULA. */
static bool read_property(struct schedule *s, char *line)
{
	char *word = next_word(&line);
	uint64_t formula;

	if (!word || s->property || !read_number(&line, UINT32_MAX, &formula) || next_word(&line))
		return false;
	schedule_expect_property(s, word, (uint32_t)formula);
	return true;
}

static bool read_option(struct schedule *s, char *line)
{
	char *word = next_word(&line);

	for (size_t i = 0; word && i < sizeof options / sizeof options[0]; i++) {
		if (!strcmp(word, options[i].word)) {
			s->options |= options[i].value;
			return !next_word(&line);
		}
	}
	return false;
}

static bool read_choice(struct schedule *s, const char *word, char *line)
{
	struct schedule_choice choice = { .kind = 0 };

	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
		if (!strcmp(word, choices[i].word))
			choice.kind = choices[i].value;
	}
	if (!choice.kind || !read_step(line, &choice.at))
		return false;
	*vec_push(&s->choices) = choice;
	return true;
}

static bool read_line(struct schedule *s, char *line)
{
	struct schedule_step step = { 0 };
	char *word = next_word(&line);

	if (!word || *word == '#')
		return true;
	if (!strcmp(word, "thread"))
		return read_thread(s, line);
	if (!strcmp(word, "option"))
		return read_option(s, line);
	if (!strcmp(word, "property"))
		return read_property(s, line);
	if (!strcmp(word, "expect")) {
		word = next_word(&line);
		if (!word || s->expect || next_word(&line))
			return false;
		s->expect = mem_copy_text(word, strlen(word));
		return true;
	}
	if (!strcmp(word, "run")) {
		if (!read_step(line, &step))
			return false;
		*vec_push(&s->slices) = step;
	} else if (!strcmp(word, "stop")) {
		if (s->stops.count == CONTROL_STOPS || !read_step(line, &step))
			return false;
		*vec_push(&s->stops) = step;
	} else if (!strcmp(word, "end")) {
		if (!read_step(line, &step))
			return false;
		*vec_push(&s->ends) = step;
	} else {
		return read_choice(s, word, line);
	}
	return true;
}

static bool read_lines(struct schedule *s, char *text, const char *path, struct err *err)
{
	unsigned number = 0;

	while (text) {
		char *end = strchr(text, '\n');

		if (end)
			*end = 0;
		number++;
		if (number == 1 && strcmp(text, HEAD) != 0)
			return err_set(err,
				       "%s: not a schedule: its first line is not \"" HEAD "\"",
				       path);
		if (number > 1 && !read_line(s, text))
			return err_set(err, "%s:%u: invalid line in a schedule", path, number);
		text = end ? end + 1 : NULL;
	}
	return s->expect || err_set(err, "%s: no line \"expect\"", path);
}

bool schedule_read(struct schedule *s, const char *path, struct err *err)
{
	struct file_view view;
	char *text;
	bool ok;

	if (!file_map(path, &view, err))
		return false;
	text = mem_copy_text(view.size ? (const char *)view.data : "", view.size);
	file_unmap(&view);
	*s = (struct schedule){ 0 };
	*vec_push(&s->threads) = (struct control_thread){ CONTROL_NONE, 0 };
	ok = read_lines(s, text, path, err);
	free(text);
	if (!ok)
		schedule_free(s);
	return ok;
}
