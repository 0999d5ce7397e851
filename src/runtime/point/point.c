/*
 * Switches points on when a module is loaded. Reads the rows in the module's file, compares them
 * with the selection, generates the code of each requested point, and turns the point's NOP into a
 * call of that code. Writes the files points_on and points_missed of the trace.
 */
#include "runtime/point/point.h"

#include "runtime/host/module.h"
#include "runtime/host/alloc_near.h"
#include "runtime/point/point_code.h"
#include "runtime/point/point_file.h"
#include "runtime/point/point_hit.h"
#include "runtime/point/point_read.h"
#include "runtime/point/point_select.h"
#include "runtime/host/process.h"
#include "runtime/host/sections.h"
#include "runtime/sched/sched.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static bool started;	       /* there is a selection, or there may be always-on probes */
static bool selected;	       /* there is a selection */
static struct point_kept kept; /* the whole file points_on, to be written again after a fork */
static uint32_t site_count;    /* the highest number in use; numbers start at 1 */

/* ---- functions that have a body in recorded code --------------------------------------------- */

/* A set of hashes of linker names of functions that have a body and were requested. */
#define BODIES_MAX 65536u
static uint64_t bodies[BODIES_MAX];
static unsigned body_count;

static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *name && *name != '\t'; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
	return hash | 1;
}

static uint64_t *find_body(uint64_t hash)
{
	unsigned at = (unsigned)(hash >> 32) % BODIES_MAX;

	while (bodies[at] && bodies[at] != hash)
		at = (at + 1) % BODIES_MAX;
	return &bodies[at];
}

static void add_body(uint64_t hash)
{
	uint64_t *slot = find_body(hash);

	if (!*slot && body_count < BODIES_MAX / 2) {
		*slot = hash;
		body_count++;
	}
}

/* ---- the module being processed -------------------------------------------------------------- */

struct module_work {
	const struct module *module;
	struct sections file;
	const struct point_row *rows;
	size_t row_count;
	const char *texts;
	size_t text_bytes;
	struct point_targets *area; /* followed by the code of the points */
	uint8_t *code;		    /* address of the next code */
	size_t area_bytes;
	uint8_t *name_cache;  /* indexed by name offset: 0 unknown, 1 not requested, 2 requested */
	struct point_file on; /* the file points_on */
};

static const char *text_at(const struct module_work *w, uint32_t at)
{
	return at < w->text_bytes ? w->texts + at : "";
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the library of a function with a body, or of a probe: the module being processed. */
static const char *own_library(const struct point_named *named)
{
	const struct module_work *w = named->context;

	return last_component(w->module->path);
}

/*
 * Returns the library that defines a called function. If this runtime interposes the function,
 * returns the library of the next definition. The result is valid until the next call.
 */
static const char *called_library(const struct point_named *named)
{
	static char program[512];
	char linker[1024];
	size_t length = strcspn(named->name, "\t");
	Dl_info ours, info;
	void *at;

	if (length >= sizeof(linker))
		return NULL;
	memcpy(linker, named->name, length);
	linker[length] = 0;
	at = dlsym(RTLD_DEFAULT, linker);
	if (!at || !dladdr(at, &info))
		return NULL;
	if (dladdr((void *)called_library, &ours) && info.dli_fbase == ours.dli_fbase) {
		at = dlsym(RTLD_NEXT, linker);
		if (!at || !dladdr(at, &info))
			return NULL;
	}
	snprintf(program, sizeof(program), "%s", last_component(info.dli_fname));
	return program;
}

static bool is_call(const struct point_row *row)
{
	return row->kind == POINT_CALL ||
	       (row->kind == POINT_RETURN && row->flags & POINT_ROW_AFTER_CALL);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Returns the largest number of bytes that a value can take. */
static unsigned largest_size(char letter)
{
	if (letter == 'o' || letter == 'v')
		return 0;
	if (letter == 's')
		return 10 + POINT_STRING_MOST + 8; /* 8: reading may write beyond its end */
	return letter <= '@' ? (unsigned)(letter - '0') : 8;
}

static void read_operands(struct point_site *site, const char *types, const char *operands)
{
	const char *points_at = strchr(types, '*');
	unsigned most = 0;

	for (; *types && *types != '*' && site->count < POINT_ARGUMENTS; types++) {
		struct point_operand *o = &site->operands[site->count];
		size_t length = strcspn(operands, ";");

		point_parse_operand(operands, length, o);
		operands += length + (operands[length] == ';');
		o->letter = *types;
		/* a struct with only one half in a register is not recorded */
		if (o->how == POINT_NOWHERE || most + largest_size(o->letter) > POINT_VALUES_MOST ||
		    (o->letter > '8' && o->letter <= '@' && o->how != POINT_MEMORY))
			o->letter = 'o';
		if (o->letter != 's')
			site->texts &= (uint16_t) ~(1u << site->count);
		o->pointed = points_at ? points_at[site->count + 1u] : 'o';
		most += largest_size(o->letter);
		site->count++;
	}
	site->most = (uint16_t)(most + 9u * (unsigned)__builtin_popcount(site->pointed) + 8);
}

/* ---- the file points_on ---------------------------------------------------------------------- */

static void write_site_line(struct module_work *w, const struct point_row *row,
			    const struct point_site *site, uint32_t number, const char *library)
{
	struct point_file *f = &w->on;
	const char *name = text_at(w, row->name), *tab = strchr(name, '\t');
	const char *function = text_at(w, row->place),
		   *points_at = strchr(text_at(w, row->types), '*');

	point_file_number(f, number, 10);
	point_file_number(f, row->kind, 10);
	point_file_number(f, row->flags, 10);
	point_file_number(f, site->pc, 16);
	for (unsigned i = 0; i < site->count; i++)
		point_file_put(f, &site->operands[i].letter, 1);
	if (points_at)
		point_file_put(f, points_at, 1 + strnlen(points_at + 1, site->count));
	point_file_text(f, "\t");
	point_file_number(f, site->pointed, 16);
	point_file_field(f, library ? library : "-");
	point_file_number(f, row->line, 10);
	point_file_number(f, row->column, 10);
	point_file_escaped(f, name, tab ? (size_t)(tab - name) : strlen(name));
	point_file_text(f, "\t");
	if (tab)
		point_file_escaped(f, tab + 1, strlen(tab + 1));
	point_file_text(f, "\t");
	point_file_text(f, function); /* includes a tab */
	point_file_text(f, "\n");
}

/* ---- switching points on --------------------------------------------------------------------- */

static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
#define CALL 0xe8

static unsigned requests_of(const struct point_row *row)
{
	switch (row->kind) {
	case POINT_CALL: return 1u << POINT_REQUEST_CALL;
	case POINT_BODY: return 1u << POINT_REQUEST_CALL | 1u << POINT_REQUEST_EXEC;
	case POINT_RETURN: return 1u << POINT_REQUEST_RETURN;
	case POINT_PROBE: return 1u << POINT_REQUEST_PROBE;
	default: return ~(1u << POINT_REQUEST_PROBE); /* NONE: all requests for functions */
	}
}

static uint16_t pointed_of(const struct point_row *row, const struct point_requested *requested)
{
	uint16_t pointed = 0;

	for (unsigned i = 0; i < POINT_REQUESTS; i++)
		if (requests_of(row) >> i & 1)
			pointed |= requested->pointed[i];
	return pointed;
}

/*
 * Returns, as bits, the operands of a row whose text matters. A RETURN repeats the arguments of its
 * call, whose texts are read at the call, so only the text of its result is read at the RETURN.
 */
static uint16_t texts_of(const struct point_row *row, const struct point_requested *requested)
{
	const uint16_t *texts = requested->texts;
	uint16_t begins = texts[POINT_REQUEST_CALL] | texts[POINT_REQUEST_RETURN];

	switch (row->kind) {
	case POINT_CALL: return begins >> 1;
	case POINT_BODY: return (begins | texts[POINT_REQUEST_EXEC]) >> 1;
	case POINT_RETURN: return texts[POINT_REQUEST_RETURN] & 1;
	default: return texts[POINT_REQUEST_PROBE] >> 1;
	}
}

/*
 * Turns the NOP of one row into a call. The code of the module must be writable. Returns NULL, or
 * the reason if that fails.
 */
static const char *patch_row(struct module_work *w, const struct point_row *row, uint32_t number)
{
	uint8_t *at = (uint8_t *)(w->module->shift + row->pc);
	int32_t distance;

	if ((uint64_t)at < w->module->base || (uint64_t)at >= w->module->end ||
	    memcmp(at, nop, sizeof(nop)) != 0)
		return "its code was changed after compilation";
	distance = (int32_t)(w->code - (at + sizeof(nop)));
	w->code = point_code(&point_sites[number], number, sched_active, is_call(row), w->area,
			     w->code);
	at[0] = CALL;
	memcpy(at + 1, &distance, sizeof(distance));
	return NULL;
}

static void switch_on(struct module_work *w, const struct point_row *row,
		      const struct point_named *named, const struct point_requested *requested)
{
	uint32_t number = site_count + 1;
	unsigned requests = requested->requests & requests_of(row);
	bool begins = row->kind == POINT_CALL || row->kind == POINT_BODY;
	const char *why = "there are too many points";

	if (number < POINT_SITES_MAX) {
		struct point_site *site = &point_sites[number];
		*site = (struct point_site){
			.pc = w->module->shift + row->pc + sizeof(nop),
			.name_hash = hash_name(named->name),
			.kind = row->kind,
			.flags = row->flags,
			.pointed = pointed_of(row, requested),
			.texts = texts_of(row, requested),
			.records = requests != 0,
			.pushes_call = begins && requested->requests >> POINT_REQUEST_RETURN & 1,
		};
		/* Static functions may share a name, but are rarely on one stack at once. */
		site->function = (uint32_t)(site->name_hash >> 8) << 1 | is_call(row);
		read_operands(site, text_at(w, row->types), text_at(w, row->operands));
		why = patch_row(w, row, number);
		if (!why) {
			site_count = number;
			write_site_line(w, row, site, number, named->library(named));
			point_select_found(named, requests);
			return;
		}
	}
	point_select_missed(named, requests, why);
}

/*
 * If the body of a function is recorded, its calls need not be. Switches off those that are already
 * on: a library may call a function that is defined by the program, which is loaded later.
 */
static void switch_off_calls(void)
{
	for (uint32_t i = 1; i <= site_count; i++) {
		struct point_site *site = &point_sites[i];
		bool call = site->kind == POINT_CALL || site->flags & POINT_ROW_AFTER_CALL;
		if (call && *find_body(site->name_hash))
			site->records = site->pushes_call = false;
	}
}

/* Returns a constant string for `text`, which is in a file that will be unmapped. */
static const char *why_no_points(const char *text)
{
	return strcmp(text, "too small") ? "it has no points"
					 : "it is too small: compile it with "
					   "-fplugin-arg-sooth-points=all";
}

/* Returns the reason why a requested row cannot be switched on, or NULL. */
static const char *why_not(const struct module_work *w, const struct point_row *row)
{
	if (row->kind == POINT_ROW_NONE)
		return why_no_points(text_at(w, row->types));
	return w->area ? NULL : "its code cannot be changed";
}

static struct point_named name_row(const struct module_work *w, const struct point_row *row)
{
	return (struct point_named){
		.name = text_at(w, row->name),
		.library = is_call(row) ? called_library : own_library,
		.context = w,
	};
}

/* A row has no address if the linker has dropped its function. */
static bool is_dropped(const struct point_row *row)
{
	return row->kind != POINT_ROW_NONE && row->pc == 0;
}

/* Is the row's name requested? Nearly no name is, so the result is cached. */
static bool is_asked_for(const struct module_work *w, const struct point_row *row)
{
	if (is_dropped(row) || row->name >= w->text_bytes ||
	    (row->kind >= POINT_ENTRY && row->kind <= POINT_BY_POINTER))
		return false;
	uint8_t *name_cache = &w->name_cache[row->name];
	if (!*name_cache)
		*name_cache = point_select_matches_name(text_at(w, row->name)) ? 2 : 1;
	return *name_cache == 2;
}

static void process_row(struct module_work *w, const struct point_row *row)
{
	struct point_named named = name_row(w, row);
	struct point_requested requested = point_select(&named);
	unsigned requests = requested.requests & requests_of(row);
	bool begins = row->kind == POINT_CALL || row->kind == POINT_BODY;

	if (row->kind == POINT_CALL && requested.requests >> POINT_REQUEST_EXEC & 1 &&
	    !*find_body(hash_name(named.name)))
		point_select_missed(&named, 1u << POINT_REQUEST_EXEC, "its code is not recorded");
	if (!requests && !(begins && requested.requests >> POINT_REQUEST_RETURN & 1))
		return;
	if (is_call(row) && *find_body(hash_name(named.name)))
		return;
	const char *why = why_not(w, row);
	if (why)
		point_select_missed(&named, requests, why);
	else
		switch_on(w, row, &named, &requested);
}

/* ---- modules --------------------------------------------------------------------------------- */

static void collect_bodies(struct module_work *w)
{
	for (size_t i = 0; i < w->row_count; i++) {
		const struct point_row *row = &w->rows[i];
		if (row->kind != POINT_BODY || row->flags & POINT_ROW_LOCAL ||
		    !is_asked_for(w, row))
			continue;
		struct point_named named = name_row(w, row);
		if (point_select(&named).requests)
			add_body(hash_name(named.name));
	}
}

/* Counts the rows that may be switched on. This gives an upper bound for the size of their code. */
static size_t count_rows(const struct module_work *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->row_count; i++)
		count += is_asked_for(w, &w->rows[i]);
	return count;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

static bool make_area(struct module_work *w, size_t count)
{
	w->area_bytes = whole_pages(sizeof(*w->area) + count * POINT_CODE_MOST);
	w->area = alloc_near_map(w->module->base, w->module->end, w->area_bytes);
	if (!w->area)
		return false;
	*w->area = (struct point_targets){
		.stub = (uint64_t)point_stub,
		.stub_vectors = (uint64_t)point_stub_vectors,
		.text = (uint64_t)point_text,
		.look = (uint64_t)point_pointee_text_code,
		.text_looked = (uint64_t)point_text_looked,
	};
	w->code = (uint8_t *)(w->area + 1);
	return true;
}

/*
 * Makes the area executable and releases its unused part. Most code is much shorter than the
 * maximum.
 */
static void finish_area(struct module_work *w)
{
	size_t used = whole_pages((size_t)(w->code - (uint8_t *)w->area));

	mprotect(w->area, used, PROT_READ | PROT_EXEC);
	if (used < w->area_bytes)
		munmap((uint8_t *)w->area + used, w->area_bytes - used);
}

/* Makes all code of the module writable, or restores its original protection. */
static bool set_code_writable(const struct module_work *w, bool writable)
{
	bool ok = true;

	for (unsigned i = 0; i < w->file.segment_count; i++) {
		const Elf64_Phdr *s = &w->file.segments[i];
		uint64_t from = (w->module->shift + s->p_vaddr) & ~4095ull;
		uint64_t to = (w->module->shift + s->p_vaddr + s->p_filesz + 4095) & ~4095ull;
		int as_it_was = PROT_EXEC | (s->p_flags & PF_R ? PROT_READ : 0) |
				(s->p_flags & PF_W ? PROT_WRITE : 0);
		if (s->p_type == PT_LOAD && s->p_flags & PF_X)
			ok &= mprotect((void *)from, to - from,
				       writable ? PROT_READ | PROT_WRITE | PROT_EXEC : as_it_was) ==
			      0;
	}
	return ok;
}

static bool sites_writable(bool writable)
{
	return mprotect(point_sites, POINT_SITES_MAX * sizeof(*point_sites),
			writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

static void process_rows(struct module_work *w)
{
	size_t count = count_rows(w);

	w->area = NULL;
	collect_bodies(w);
	if (count && (!make_area(w, count) || !set_code_writable(w, true))) {
		if (w->area)
			munmap(w->area, w->area_bytes);
		w->area = NULL;
	}
	sites_writable(true);
	switch_off_calls();
	if (process_recording() && !process_discards())
		point_file_open(&w->on, "points_on", 1);
	else
		w->on.fd = -1;
	w->on.kept = &kept;
	for (size_t i = 0; i < w->row_count; i++)
		if (is_asked_for(w, &w->rows[i]))
			process_row(w, &w->rows[i]);
	point_file_close(&w->on);
	sites_writable(false); /* a repeated run then need not check them for changes */
	if (w->area) {
		set_code_writable(w, false);
		finish_area(w);
	}
}

/* Reserves memory for points, before the first point may be needed. */
static bool make_sites(void)
{
	void *room;

	if (point_sites)
		return true;
	room = mmap(NULL, POINT_SITES_MAX * sizeof(*point_sites), PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED) {
		process_say("no memory for points", "");
		return false;
	}
	point_sites = room;
	point_read_prepare();
	return true;
}

/* Processes the rows of one section. Returns false if the section does not exist. */
static bool process_section(struct module_work *w, const char *name)
{
	size_t bytes = 0;

	w->rows = sections_find(&w->file, name, &bytes);
	w->row_count = bytes / sizeof(*w->rows);
	if (!w->rows)
		return false;
	process_rows(w);
	return true;
}

/* Processes the module's file, if it has rows. */
static void process_file(struct module_work *w)
{
	w->texts = sections_find(&w->file, "sooth_pstr", &w->text_bytes);
	if (!w->texts || !w->text_bytes || w->texts[w->text_bytes - 1]) {
		point_select_no_rows();
		return;
	}
	if (!selected && !(point_select_is_always(w->texts, w->text_bytes) && make_sites()))
		return;
	w->name_cache = mmap(NULL, w->text_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->name_cache == MAP_FAILED) {
		point_select_no_rows();
		return;
	}
	bool any = process_section(w, POINT_SECTION);
	any |= process_section(w, POINT_SECTION_LOOSE);
	if (!any)
		point_select_no_rows();
	munmap(w->name_cache, w->text_bytes);
}

void point_module(const struct module *m)
{
	struct module_work w = { .module = m };

	if (!started)
		return;
	if (sections_open(m->path, &w.file)) {
		process_file(&w);
		sections_close(&w.file);
	} else {
		point_select_no_rows();
	}
	if (selected && process_recording() && !process_discards())
		point_select_report();
}

void point_after_fork(void)
{
	struct point_file file;

	if (!point_sites)
		return;
	point_read_prepare();
	if (selected) {
		point_select_write_copy();
		point_select_report();
	}
	point_file_open(&file, "points_on", 0);
	point_file_put(&file, kept.text, kept.used);
	point_file_close(&file);
}

void point_start(const char *path)
{
	if (path[0] && !point_select_read(path))
		process_say(
			"no points are selected, because this selection is empty or unreadable: ",
			path);
	else
		selected = path[0] && make_sites();
	point_select_always();
	started = true;
	if (selected && process_recording() && !process_discards()) {
		point_select_write_copy();
		point_select_report();
	}
}
