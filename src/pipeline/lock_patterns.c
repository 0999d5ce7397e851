/* Reads the locking patterns that the runtime writes, and prints them with names. */
#include "pipeline/lock_patterns.h"

#include "trace/symbol.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * Opens the symbols for names. The trace is still being written, but it lists the program's modules
 * from the start.
 */
static void open_names(struct lock_patterns *p)
{
	struct err err = { 0 };

	if (p->symbols || !trace_open(p->directory, &p->trace, &err))
		return;
	p->symbols = trace_symbols_open(p->trace);
}

static void print_lock(const struct lock_patterns *p, const char *word)
{
	char *end;
	uint64_t address = strtoull(word, &end, 16), offset = 0;
	const char *name = p->symbols ? trace_symbols_around(p->symbols, address, &offset) : NULL;

	if (!name)
		fprintf(stderr, "0x%" PRIx64, address);
	else if (offset)
		fprintf(stderr, "%s+%" PRIu64, name, offset);
	else
		fputs(name, stderr);
	if (*end == 'r')
		fputs(" for reading", stderr);
}

/* Prints the innermost frame that is not in a system header. */
static void print_site(const struct lock_patterns *p, const char *word)
{
	struct trace_symbol frames[8];
	uint64_t pc = strtoull(word, NULL, 16);
	unsigned count = p->symbols ? trace_symbols_find(p->symbols, pc, frames, 8) : 0, i = 0;

	while (i + 1 < count && (!frames[i].file || !strncmp(frames[i].file, "/usr/", 5)))
		i++;
	if (count && frames[i].file)
		fprintf(stderr, " at %s:%u", frames[i].file, frames[i].line);
	if (count && frames[i].function)
		fprintf(stderr, " (%s)", frames[i].function);
}

/* Prints "THREAD PC LOCK OUTER..." as "T3 takes LOCK inside OUTER at a.c:7 (f)". */
static void print_pattern(struct lock_patterns *p, char *line)
{
	char *rest, *thread = strtok_r(line, " ", &rest), *pc = strtok_r(NULL, " ", &rest);
	char *lock = strtok_r(NULL, " ", &rest);
	const char *before = " inside ";

	if (!thread || !pc || !lock)
		return;
	open_names(p);
	fprintf(stderr, "sooth: new locking pattern %" PRIu64 ": T%s takes ", ++p->count, thread);
	print_lock(p, lock);
	for (char *outer; (outer = strtok_r(NULL, " ", &rest)); before = ", ") {
		fputs(before, stderr);
		print_lock(p, outer);
	}
	print_site(p, pc);
	fputc('\n', stderr);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_bytes(struct lock_patterns *p, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != '\n') {
			*vec_push(&p->line) = bytes[i];
			continue;
		}
		*vec_push(&p->line) = 0;
		print_pattern(p, p->line.items);
		p->line.count = 0;
	}
}

void lock_patterns_look(void *patterns)
{
	struct lock_patterns *p = patterns;
	char path[PATH_MAX + 16], bytes[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/patterns", p->directory);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((n = pread(fd, bytes, sizeof bytes, p->offset)) > 0) {
		p->offset += n;
		add_bytes(p, bytes, (size_t)n);
	}
	close(fd);
}

void lock_patterns_close(struct lock_patterns *p)
{
	vec_free(&p->line);
	if (p->symbols)
		trace_symbols_close(p->symbols);
	if (p->trace)
		trace_close(p->trace);
}
