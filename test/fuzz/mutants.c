/*
 * mutants COUNT SEED TRACE...   damaged traces through prediction
 *
 * Each mutant is one of the given traces (text files or trace directories) with some damage: bytes
 * changed, cut off, duplicated or moved; lines of a text shuffled, dropped, given to another
 * thread, their numbers and names forged. Prediction must either report what is wrong in words, or
 * give results that the checker accepts. It must not crash, and not take longer than a limit that
 * is far above the time it needs. A mutant that fails is left in the directory `failed-SEED`.
 *
 * Mutants run in a child process, many in a row. If the child dies, the parent knows which mutant
 * it was.
 */
#include "base/file.h"
#include "base/mem.h"
#include "predict/warnings/dependency.h"
#include "predict/driver/predict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define IN_A_ROW 250
#define LIMIT_SECONDS 60 /* enough under sanitizers on a busy machine */

/* What the child reports to its parent, in shared memory. */
struct progress {
	uint64_t next;	   /* number of the current mutant */
	uint64_t refused;  /* mutants that could not be opened or analysed */
	uint64_t analysed; /* mutants that gave a result */
	uint64_t findings; /* findings in these results */
	uint64_t bad;	   /* results that the checker rejected */
	uint64_t wordless; /* mutants that were refused without a reason */
};

static uint64_t random_state;

static uint32_t pick(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20) % (below ? below : 1);
}

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes read_file(const char *path)
{
	struct file_view view;
	struct bytes bytes;
	struct err err;

	if (!file_map(path, &view, &err)) {
		fprintf(stderr, "mutants: %s\n", err.text);
		exit(2);
	}
	bytes.size = view.size;
	bytes.data = mem_alloc(2 * view.size + 4096); /* mutants are not longer than this */
	if (view.size)
		memcpy(bytes.data, view.data, view.size);
	file_unmap(&view);
	return bytes;
}

/* ---- damage ------------------------------------------------------------------------------- */

static void move_piece(struct bytes *b)
{
	size_t from = pick((uint32_t)b->size), to = pick((uint32_t)b->size);
	size_t size = 1 + pick(64);

	if (from + size > b->size || to + size > b->size)
		return;
	memmove(b->data + to, b->data + from, size);
}

static void insert_piece(struct bytes *b)
{
	size_t at = pick((uint32_t)b->size), size = 1 + pick(64);

	if (at + size > b->size)
		return;
	memmove(b->data + at + size, b->data + at, b->size - at);
	b->size += size;
}

static void damage_bytes(struct bytes *b)
{
	for (uint32_t n = 1 + pick(4); n-- && b->size;) {
		size_t at = pick((uint32_t)b->size);

		switch (pick(7)) {
		case 0: b->data[at] ^= (uint8_t)(1u << pick(8)); break;
		case 1: b->data[at] = (uint8_t)pick(256); break;
		case 2: b->data[at] = "\xff\x00\x7f\x80\n|"[pick(6)]; break;
		case 3: b->size = at; break;
		case 4: move_piece(b); break;
		case 5: insert_piece(b); break;
		case 6: memset(b->data + at, 0, b->size - at < 16 ? b->size - at : 16); break;
		}
	}
}

struct line {
	size_t start, size;
};

static size_t split_lines(const struct bytes *b, struct line *lines, size_t most)
{
	size_t count = 0, start = 0;

	for (size_t i = 0; i < b->size && count < most; i++)
		if (b->data[i] == '\n') {
			lines[count++] = (struct line){ start, i + 1 - start };
			start = i + 1;
		}
	return count;
}

/*
 * Changes one digit or letter of a name: the result is a thread, a lock or a value that is not
 * there.
 */
static void forge_name(struct bytes *b, struct line line)
{
	for (int tries = 0; tries < 20; tries++) {
		uint8_t *c = &b->data[line.start + pick((uint32_t)line.size)];

		if (*c >= '0' && *c <= '9') {
			*c = (uint8_t)('0' + pick(10));
			return;
		}
		if (*c >= 'a' && *c <= 'z' && pick(4) == 0) {
			*c = (uint8_t)('a' + pick(26));
			return;
		}
	}
}

#define MOST_LINES 4096

static void damage_lines(struct bytes *b)
{
	static struct line lines[MOST_LINES];
	uint8_t *out = mem_alloc(2 * b->size + 4096);
	size_t size = 0, count = split_lines(b, lines, MOST_LINES);

	if (!count) {
		free(out);
		return;
	}
	for (uint32_t n = 1 + pick(3); n--;) {
		size_t i = pick((uint32_t)count), j = pick((uint32_t)count);
		struct line swap = lines[i];

		switch (pick(5)) {
		case 0: /* swapped */
			lines[i] = lines[j];
			lines[j] = swap;
			break;
		case 1: lines[i].size = 0; break;   /* dropped: an unmatched unlock, a lost fork */
		case 2: lines[i] = lines[j]; break; /* duplicated */
		case 3:
		case 4:
			if (lines[i].size)
				forge_name(b, lines[i]);
			break;
		}
	}
	for (size_t i = 0; i < count; i++) {
		memcpy(out + size, b->data + lines[i].start, lines[i].size);
		size += lines[i].size;
	}
	free(b->data);
	b->data = out;
	b->size = size;
}

/* ---- a mutant ----------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void write_file(const char *path, const struct bytes *b)
{
	struct err err;

	if (!file_write(path, b->data, b->size, &err)) {
		fprintf(stderr, "mutants: %s\n", err.text);
		_exit(2);
	}
}

static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[4096];

	if (!dir) {
		unlink(path);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
			unlink(file);
		}
	closedir(dir);
	rmdir(path);
}

/* Makes a copy of the directory with one of its files damaged. */
static void make_directory_mutant(const char *trace, const char *path)
{
	char from[4096], to[4096];
	uint32_t files = 0, damaged;
	struct dirent *entry;
	DIR *dir = opendir(trace);

	mkdir(path, 0777);
	while ((entry = readdir(dir)))
		files += entry->d_name[0] != '.';
	damaged = pick(files);
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		struct bytes b;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(from, sizeof from, "%s/%s", trace, entry->d_name);
		snprintf(to, sizeof to, "%s/%s", path, entry->d_name);
		b = read_file(from);
		/* the log matters most, so it is damaged more often */
		if (damaged-- == 0 || (!strcmp(entry->d_name, "events.0") && pick(2)))
			damage_bytes(&b);
		write_file(to, &b);
		free(b.data);
	}
	closedir(dir);
}

static void make_mutant(const char *trace, const char *path)
{
	struct bytes b;

	remove_all(path);
	if (is_directory(trace)) {
		make_directory_mutant(trace, path);
		return;
	}
	b = read_file(trace);
	if (pick(4))
		damage_lines(&b);
	if (pick(3) == 0)
		damage_bytes(&b);
	write_file(path, &b);
	free(b.data);
}

static void predict_mutant(const char *path, struct progress *progress)
{
	static const uint32_t windows[] = { PREDICT_WINDOW, 10, 50, PREDICT_WINDOW };
	struct predict_options options = {
		.only = PREDICT_ALL | PREDICT_WARNINGS,
		.every = pick(2),
		.window = windows[pick(4)],
		.jobs = 1,
		.seconds = 5,
		.steps = 2000000,
	};
	struct predict_result result = { 0 };
	struct err err = { 0 };
	struct trace *trace;

	if (!trace_open(path, &trace, &err)) {
		progress->refused++;
		progress->wordless += !err.text[0];
		return;
	}
	if (predict_run(trace, &options, &result, &err)) {
		progress->analysed++;
		progress->findings += result.findings.count;
		/* rejected on a trace without problems: see predict.h */
		if (result.stats.rejected) {
			progress->bad++;
			printf("refused witness: %s\n",
			       result.faults.count ? result.faults.items[0] : "(no reason)");
		}
		predict_result_free(&result);
		dependency_close(dependency_open(trace));
	} else {
		progress->refused++;
		progress->wordless += !err.text[0];
	}
	trace_close(trace);
}

static void run_child(struct progress *progress, uint64_t end, uint64_t seed, char **traces,
		      uint32_t trace_count, const char *work)
{
	char path[64];

	while (progress->next < end) {
		uint64_t bad = progress->bad + progress->wordless;

		random_state = (seed * 1000003 + progress->next) * 0x9e3779b97f4a7c15ull + 1;
		for (int i = 0; i < 8; i++)
			pick(2);
		snprintf(path, sizeof path, "%s/%s", work, "mutant");
		make_mutant(traces[pick(trace_count)], path);
		alarm(LIMIT_SECONDS);
		predict_mutant(path, progress);
		alarm(0);
		if (progress->bad + progress->wordless > bad)
			_exit(3);
		progress->next++;
	}
	_exit(0);
}

static void keep(const char *work, uint64_t number)
{
	char from[64], to[64];

	snprintf(from, sizeof from, "%s/mutant", work);
	snprintf(to, sizeof to, "failed-%llu", (unsigned long long)number);
	if (rename(from, to))
		fprintf(stderr, "mutants: %s: %s\n", to, strerror(errno));
	printf("mutant %llu failed: see %s\n", (unsigned long long)number, to);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 3 ? strtoull(argv[1], NULL, 10) : 0, failed = 0;
	char work[] = "mutants-XXXXXX";
	struct progress *progress;

	if (!count || !mkdtemp(work)) {
		fprintf(stderr, "usage: mutants COUNT SEED TRACE...\n");
		return 2;
	}
	progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	while (progress->next < count) {
		uint64_t end =
			progress->next + IN_A_ROW < count ? progress->next + IN_A_ROW : count;
		pid_t child;
		int status;

		fflush(stdout);
		child = fork();
		if (!child)
			run_child(progress, end, strtoull(argv[2], NULL, 10), argv + 3,
				  (uint32_t)argc - 3, work);
		waitpid(child, &status, 0);
		if (status) {
			failed++;
			keep(work, progress->next++);
			if (WIFSIGNALED(status))
				printf("  %s\n", WTERMSIG(status) == SIGALRM
							 ? "it hung"
							 : strsignal(WTERMSIG(status)));
		}
	}
	remove_all(work);
	printf("%llu mutants: %llu refused with a reason, %llu analysed (%llu findings), %llu "
	       "failed\n",
	       (unsigned long long)count, (unsigned long long)progress->refused,
	       (unsigned long long)progress->analysed, (unsigned long long)progress->findings,
	       (unsigned long long)failed);
	return failed > 0;
}
