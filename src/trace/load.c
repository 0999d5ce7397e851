/* Opens and closes a trace: reads its files one after the other, and names its global variables. */
#include "base/intern.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/import.h"
#include "trace/store.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define META_MAX (1u << 20)

void store_add_problem(struct trace *trace, char *text)
{
	if (trace->problems.count < 100) /* further messages about a damaged file do not help */
		*vec_push(&trace->problems) = text;
	else
		free(text);
}

/* ---- reading the files ----------------------------------------------------------------------- */

/*
 * Maps a file of the directory. Returns false if there is no such file. If the file exists but
 * cannot be mapped, also sets `*ok` to false.
 */
static bool map_part(struct trace *trace, const char *name, bool *ok, struct err *err)
{
	struct file_view view;
	struct stat st;
	char *path = mem_format("%s/%s", trace->path, name);
	bool mapped;

	if (stat(path, &st) < 0 && errno == ENOENT) {
		free(path);
		return false;
	}
	mapped = file_map(path, &view, err);
	free(path);
	if (!mapped) {
		*ok = false;
		return false;
	}
	*vec_push(&trace->views) = view;
	*vec_push(&trace->files) = mem_copy_text(name, strlen(name));
	return true;
}

/* Splits the "key: value" lines in place: the keys and values are parts of trace->meta. */
static void split_meta(struct trace *trace)
{
	for (char *line = trace->meta; *line;) {
		char *end = line + strcspn(line, "\n");
		char *next = *end ? end + 1 : end;
		char *colon;

		*end = 0;
		colon = strstr(line, ": ");
		if (colon) {
			*colon = 0;
			*vec_push(&trace->meta_lines) = (struct store_meta){ line, colon + 2 };
		}
		line = next;
	}
}

static bool read_meta(struct trace *trace, struct err *err)
{
	const struct file_view *view;
	const char *version;
	bool ok = true;

	if (!map_part(trace, "meta", &ok, err))
		return ok ? err_set(err, "%s: not a trace: it has no file `meta`", trace->path)
			  : false;
	view = &trace->views.items[trace->views.count - 1];
	if (view->size > META_MAX)
		return err_set(err, "%s/meta: larger than %u bytes", trace->path, META_MAX);
	trace->meta = mem_copy_text((const char *)view->data, view->size);
	split_meta(trace);
	version = trace_meta(trace, "sooth-trace");
	if (!version)
		return err_set(err, "%s/meta: not a trace: no line `sooth-trace: …`", trace->path);
	if (strtoul(version, NULL, 10) != WIRE_VERSION)
		return err_set(
			err,
			"%s/meta: the trace has format version %.20s, this sooth reads version %d",
			trace->path, version, WIRE_VERSION);
	return true;
}

static bool read_names(struct trace *trace, struct err *err)
{
	const struct file_view *view;
	bool ok = true;

	if (!map_part(trace, "names", &ok, err))
		return ok;
	view = &trace->views.items[trace->views.count - 1];
	return names_read(&trace->names, "names", (const char *)view->data, view->size, err);
}

static bool read_directory(struct trace *trace, struct err *err)
{
	bool ok = true;

	if (!read_meta(trace, err) || !read_names(trace, err))
		return false;
	if (map_part(trace, "modules", &ok, err))
		store_load_modules(trace, &trace->views.items[trace->views.count - 1]);
	if (ok && map_part(trace, "points_on", &ok, err))
		store_load_points(trace, &trace->views.items[trace->views.count - 1]);
	if (ok && map_part(trace, "benign", &ok, err))
		store_load_benign(trace, &trace->views.items[trace->views.count - 1]);
	for (unsigned i = 0; i < WIRE_LOG_FILES && ok; i++) {
		char name[16];

		snprintf(name, sizeof name, "events.%u", i);
		if (map_part(trace, name, &ok, err))
			store_scan_log(trace, (uint32_t)trace->views.count - 1);
	}
	if (ok && map_part(trace, "ring", &ok, err))
		store_scan_ring(trace, (uint32_t)trace->views.count - 1);
	if (ok && map_part(trace, "schedule", &ok, err))
		store_load_schedule(trace, &trace->views.items[trace->views.count - 1]);
	return ok;
}

/* Imports a text trace in memory and reads the result like the files of a trace directory. */
static bool read_text(struct trace *trace, struct err *err)
{
	struct import_image image;

	if (!import_text(trace->path, &image, err))
		return false;
	trace->meta = image.meta;
	split_meta(trace);
	trace->names = image.names;
	trace->memory = image.events;
	*vec_push(&trace->views) = (struct file_view){ image.events, image.events_bytes };
	*vec_push(&trace->files) = mem_copy_text("events.0", 8);
	store_scan_log(trace, 0);
	return true;
}

/* ---- global variables ------------------------------------------------------------------------ */

/*
 * Is `name` a part of the variable `whole`? "s.x" and "s[]" are parts of "s". The first part has
 * the same address as the whole.
 */
static bool is_part(const char *name, const char *whole)
{
	size_t length = strlen(whole);

	return !strncmp(name, whole, length) && (name[length] == '.' || name[length] == '[');
}

/*
 * Names the global variables. Each site that accesses a global by a constant address has the name
 * of the global. The name is used for the address if all sites at this address agree and no other
 * address has the same name. So two static variables with one name, or the members of a union, are
 * shown by their address. If a struct and its first field are accessed, the struct's name is used.
 */
static void name_globals(struct trace *trace)
{
	struct intern names = { 0 };
	VEC(uint64_t) owner = { 0 };

	*vec_push(&trace->global_names) = NULL; /* for addresses without an unambiguous name */
	for (size_t i = 0; i < trace->steps.count; i++) {
		const struct store_step *step = &trace->steps.items[i];
		const char *name = step->address_form == WIRE_CONST && step->kind != EV_ENTER
					   ? trace_site_name(trace, step->site)
					   : NULL;
		bool fresh;
		uint32_t id;
		uint64_t *global;

		if (!name || !*name || strlen(name) > 256)
			continue;
		id = intern_put(&names, name, strlen(name), &fresh);
		if (fresh)
			*vec_push(&owner) = step->address;
		/* Two variables have this name: neither gets it. */
		else if (owner.items[id] != step->address)
			*map_put(&trace->globals, owner.items[id], NULL) = 0;
		global = map_put(&trace->globals, step->address, &fresh);
		if (owner.items[id] != step->address) {
			*global = 0;
		} else if (fresh ||
			   (*global && is_part(trace->global_names.items[*global], name))) {
			*vec_push(&trace->global_names) = name;
			*global = trace->global_names.count - 1;
		} else if (*global && strcmp(trace->global_names.items[*global], name) &&
			   !is_part(name, trace->global_names.items[*global])) {
			*global = 0;
		}
	}
	intern_free(&names);
	vec_free(&owner);
}

const char *trace_object_name(const struct trace *trace, uint64_t address)
{
	const uint64_t *i = map_get(&trace->names.by_address, address);

	if (i)
		return trace->names.objects.items[*i - 1].name;
	i = map_get(&trace->globals, address);
	return i ? trace->global_names.items[*i] : NULL;
}

/* ---- the trace's interface ------------------------------------------------------------------- */

bool trace_open(const char *path, struct trace **out, struct err *err)
{
	struct trace *trace;
	struct stat st;
	size_t length = strlen(path);
	bool ok;

	if (stat(path, &st) < 0)
		return err_set_system(err, errno, "%s", path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	trace = mem_zalloc(1, sizeof *trace);
	trace->path = mem_copy_text(path, length);
	ok = S_ISDIR(st.st_mode) ? read_directory(trace, err) : read_text(trace, err);
	if (!ok) {
		trace_close(trace);
		return false;
	}
	store_index_streams(trace);
	name_globals(trace);
	*out = trace;
	return true;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->views.count; i++) {
		if (trace->views.items[i].data != trace->memory)
			file_unmap(&trace->views.items[i]);
		free(trace->files.items[i]);
	}
	for (size_t i = 0; i < trace->streams.count; i++)
		free(trace->streams.items[i].gap);
	store_free_modules(trace);
	store_free_points(trace);
	names_free(&trace->names);
	map_free(&trace->globals);
	vec_free(&trace->views);
	vec_free(&trace->files);
	vec_free(&trace->blocks);
	vec_free(&trace->benign);
	vec_free(&trace->streams);
	vec_free_all(&trace->problems);
	vec_free(&trace->meta_lines);
	vec_free(&trace->global_names);
	free(trace->memory);
	free(trace->meta);
	free(trace->path);
	free(trace);
}

const char *trace_path(const struct trace *trace)
{
	return trace->path;
}

const char *trace_meta(const struct trace *trace, const char *key)
{
	for (size_t i = trace->meta_lines.count; i-- > 0;) {
		if (!strcmp(trace->meta_lines.items[i].key, key))
			return trace->meta_lines.items[i].value;
	}
	return NULL;
}

bool trace_is_text(const struct trace *trace)
{
	return trace_meta(trace, "source") != NULL;
}

bool trace_is_cut(const struct trace *trace)
{
	const char *end = trace_meta(trace, "end");

	return !end || !strcmp(end, "exec failed");
}

size_t trace_problem_count(const struct trace *trace)
{
	return trace->problems.count;
}

const char *trace_problem(const struct trace *trace, size_t i)
{
	assert(i < trace->problems.count);
	return trace->problems.items[i];
}

uint32_t trace_stream_count(const struct trace *trace)
{
	return (uint32_t)trace->streams.count;
}

const struct trace_stream *trace_stream(const struct trace *trace, uint32_t i)
{
	assert(i < trace->streams.count);
	return &trace->streams.items[i].about;
}

uint32_t trace_stream_owner(const struct trace *trace, uint32_t i)
{
	assert(i < trace->streams.count);
	return trace->streams.items[i].owner;
}

uint32_t trace_find_stream(const struct trace *trace, uint32_t number)
{
	const struct store_stream *streams = trace->streams.items;
	uint32_t i, count = trace_stream_count(trace);

	SEARCH_FIRST(i, count, streams[i].about.number >= number);
	return i < count && streams[i].about.number == number ? i : TRACE_NONE;
}

const char *trace_thread_name(const struct trace *trace, uint32_t stream)
{
	const uint64_t *i = map_get(&trace->names.threads, stream);

	return i ? trace->names.thread_names.items[*i - 1].name : NULL;
}

const char *trace_place_text(const struct trace *trace, uint64_t place)
{
	return place - 1 < trace->names.places.count ? trace->names.places.items[place - 1].text
						     : NULL;
}

const char *trace_call_text(const struct trace *trace, uint64_t place)
{
	return place - 1 < trace->names.places.count ? trace->names.places.items[place - 1].call
						     : NULL;
}

size_t trace_initial_count(const struct trace *trace)
{
	return trace->names.initials.count;
}

struct trace_initial trace_initial(const struct trace *trace, size_t i)
{
	const struct names_initial *initial = &trace->names.initials.items[i];

	assert(i < trace->names.initials.count);
	return (struct trace_initial){ initial->address, initial->size, initial->value };
}
