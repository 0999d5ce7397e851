/*
 * Source lines and variable names from debugging information, through elfutils' libdwfl. The file
 * `maps` of the trace says which files were mapped where.
 */
#include "trace/symbol.h"

#include "base/intern.h"
#include "base/mem.h"
#include "trace/store.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct symbol_frames {
	struct trace_symbol frames[8];
	unsigned count;
};

struct trace_symbols {
	const struct trace *trace;
	Dwfl *dwfl; /* NULL before the first query, or if there is no debugging information */
	bool tried;
	struct map seen; /* pc to index + 1 in found */
	VEC(struct symbol_frames) found;
	struct map objects; /* address to index + 1 in object_names */
	VEC(const char *) object_names;
	struct intern taken; /* names that an address already has */
	VEC(char *) problems;
};

struct trace_symbols *trace_symbols_open(const struct trace *trace)
{
	struct trace_symbols *s = mem_zalloc(1, sizeof *s);

	s->trace = trace;
	return s;
}

void trace_symbols_close(struct trace_symbols *s)
{
	if (!s)
		return;
	if (s->dwfl)
		dwfl_end(s->dwfl);
	vec_free_all(&s->problems);
	vec_free(&s->object_names);
	map_free(&s->objects);
	intern_free(&s->taken);
	vec_free(&s->found);
	map_free(&s->seen);
	free(s);
}

static void add_problem(struct trace_symbols *s, const char *path, const char *what)
{
	*vec_push(&s->problems) = mem_format("%s: %s", path, what);
}

/* ---- which files were mapped where ----------------------------------------------------------- */

/* Is the file the same build as in the recorded run? True if the trace has no build id of it. */
static bool same_build(const struct trace *trace, const char *path, Dwfl_Module *module)
{
	const unsigned char *bits;
	GElf_Addr where;

	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];

		if (strcmp(m->path, path) || !m->build_id_bytes)
			continue;
		return dwfl_module_build_id(module, &bits, &where) == (int)m->build_id_bytes &&
		       !memcmp(bits, m->build_id, m->build_id_bytes);
	}
	return true;
}

static void report_file(struct trace_symbols *s, const char *path, uint64_t base)
{
	Dwfl_Module *module;
	GElf_Addr bias;

	if (access(path, R_OK) < 0) {
		add_problem(s, path, "the file is gone");
		return;
	}
	module = dwfl_report_elf(s->dwfl, path, path, -1, base, false);
	if (!module ||
	    !dwfl_module_getelf(module, &bias)) /* not an ELF file: data that was mapped */
		return;
	if (!same_build(s->trace, path, module)) {
		add_problem(s, path,
			    "the file has changed since the recording; its lines are not shown");
		/* Reports an empty module there, so that its addresses are not found in another. */
		dwfl_report_module(s->dwfl, path, base, base + 1);
	}
}

/* What the lines of /proc/PID/maps say about one file. */
struct symbol_mapping {
	char path[4096];
	uint64_t base;
	bool has_base, code;
};

static void report_mapped(struct trace_symbols *s, struct symbol_mapping *m)
{
	if (m->has_base && m->code)
		report_file(s, m->path, m->base);
	*m = (struct symbol_mapping){ 0 };
}

/* The lines of a file are consecutive. A program or library has at least one executable mapping. */
static void read_map_line(struct trace_symbols *s, const char *line, struct symbol_mapping *m)
{
	uint64_t from, to, offset;
	int path_at = 0;
	char perms[8];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &from, &to, perms,
		   &offset, &path_at) < 4 ||
	    !path_at || line[path_at] != '/')
		return;
	if (strcmp(line + path_at, m->path)) {
		report_mapped(s, m);
		snprintf(m->path, sizeof m->path, "%s", line + path_at);
	}
	if (!offset && !m->has_base) {
		m->base = from;
		m->has_base = true;
	}
	m->code |= strchr(perms, 'x') != NULL;
}

static void read_maps(struct trace_symbols *s)
{
	struct symbol_mapping mapped = { 0 };
	char line[8192];
	char *path = mem_format("%s/maps", s->trace->path);
	FILE *maps = fopen(path, "r");

	free(path);
	if (!maps)
		return;
	while (fgets(line, sizeof line, maps)) {
		line[strcspn(line, "\n")] = 0;
		read_map_line(s, line, &mapped);
	}
	report_mapped(s, &mapped);
	fclose(maps);
}

static void open_debug_info(struct trace_symbols *s)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};

	s->tried = true;
	if (trace_is_text(s->trace))
		return;
	s->dwfl = dwfl_begin(&callbacks);
	if (!s->dwfl)
		return;
	dwfl_report_begin(s->dwfl);
	read_maps(s);
	dwfl_report_end(s->dwfl, NULL, NULL);
	for (size_t i = 1; i < s->trace->global_names.count; i++) {
		const char *name = s->trace->global_names.items[i];

		intern_put(&s->taken, name, strlen(name), NULL);
	}
}

struct Dwfl *trace_symbols_dwfl(struct trace_symbols *s)
{
	if (!s->tried)
		open_debug_info(s);
	return s->dwfl;
}

const char *trace_symbols_file(struct trace_symbols *s, uint64_t address)
{
	Dwfl *dwfl = trace_symbols_dwfl(s);
	Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, address) : NULL;

	if (!dwfl)
		return trace_object_name(s->trace, address);
	return module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
}

/* ---- source lines ---------------------------------------------------------------------------- */

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/* Sets the line and file of `outer`, in which the inlined function `die` was called. */
static void set_call_line(Dwarf_Die *unit, Dwarf_Die *die, struct trace_symbol *outer)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	Dwarf_Files *files;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value))
		outer->line = (unsigned)value;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) &&
	    !dwarf_getsrcfiles(unit, &files, NULL))
		outer->file = dwarf_filesrc(files, value, NULL, NULL);
}

/* gcc writes a table of addresses (.debug_aranges). clang does not, so each unit is tried. */
static Dwarf_Die *unit_at(Dwfl_Module *module, uint64_t pc, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, pc, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias))) {
		if (dwarf_haspc(unit, pc - *bias) > 0)
			break;
	}
	return unit;
}

static void find_line(Dwfl_Module *module, uint64_t pc, struct trace_symbol *at)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_at(module, pc, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, pc - bias) : NULL;
	int number = 0;

	if (!line || dwarf_lineno(line, &number) != 0)
		return;
	at->file = dwarf_linesrc(line, NULL, NULL);
	at->line = (unsigned)number;
}

/*
 * Finds the functions around a pc, innermost first. The scopes that dwarf_getscopes() returns
 * around an inlined function are those of its definition. dwarf_getscopes_die() returns the scopes
 * around the inlined copy, which show the functions it was inlined into.
 */
static unsigned find_functions(Dwfl_Module *module, uint64_t pc, struct trace_symbol *frames,
			       unsigned most)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_at(module, pc, &bias), *inner = NULL, *list = NULL;
	int count = unit ? dwarf_getscopes(unit, pc - bias, &inner) : 0;
	unsigned used = 0;

	if (count > 0)
		count = dwarf_getscopes_die(&inner[0], &list);
	for (int i = 0; i < count && used < most; i++) {
		int tag = dwarf_tag(&list[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		frames[used++].function = function_name(&list[i]);
		if (tag == DW_TAG_subprogram)
			break;
		if (used < most)
			set_call_line(unit, &list[i], &frames[used]);
	}
	free(inner);
	free(list);
	return used;
}

static unsigned find_frames(Dwfl *dwfl, uint64_t pc, struct trace_symbol *frames, unsigned most)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
	struct trace_symbol first = { 0 };
	Dwfl_Line *line;
	unsigned count;
	int number;

	if (!module)
		return 0;
	count = find_functions(module, pc, frames, most);
	line = dwfl_module_getsrc(module, pc);
	if (line) {
		first.file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
		first.line = (unsigned)number;
	} else {
		find_line(module, pc, &first);
	}
	if (!count) {
		first.function = dwfl_module_addrname(module, pc);
		if (!first.function && !first.file)
			return 0;
		frames[0] = first;
		return 1;
	}
	frames[0].file = first.file;
	frames[0].line = first.line;
	return count;
}

unsigned trace_symbols_find(struct trace_symbols *s, uint64_t pc, struct trace_symbol *frames,
			    unsigned most)
{
	struct symbol_frames *found;
	uint64_t *i;
	bool fresh;

	if (!s->tried)
		open_debug_info(s);
	if (!s->dwfl || !pc)
		return 0;
	i = map_put(&s->seen, pc, &fresh);
	if (fresh) {
		found = vec_push(&s->found);
		*i = s->found.count;
		memset(found, 0, sizeof *found);
		/* The pc is a return address: the call is before it. */
		found->count = find_frames(s->dwfl, pc - 1, found->frames, 8);
	}
	found = &s->found.items[*i - 1];
	if (most > found->count)
		most = found->count;
	memcpy(frames, found->frames, most * sizeof *frames);
	return most;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Returns the symbol that starts at an address, unless another address has its name already. */
static const char *find_object(struct trace_symbols *s, Dwfl_Module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	bool fresh;

	if (!name || !*name || offset || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
		return NULL;
	intern_put(&s->taken, name, strlen(name), &fresh);
	return fresh ? name : NULL;
}

const char *trace_symbols_object(struct trace_symbols *s, uint64_t address)
{
	const char *known = trace_object_name(s->trace, address);
	Dwfl_Module *module;
	uint64_t *i;
	bool fresh;

	if (known)
		return known;
	if (!s->tried)
		open_debug_info(s);
	module = s->dwfl ? dwfl_addrmodule(s->dwfl, address) : NULL;
	if (!module) /* heap or stack: most addresses are, so they are not stored in `objects` */
		return NULL;
	i = map_put(&s->objects, address, &fresh);
	if (fresh) {
		*vec_push(&s->object_names) = find_object(s, module, address);
		*i = s->object_names.count;
	}
	return s->object_names.items[*i - 1];
}

const char *trace_symbols_around(struct trace_symbols *s, uint64_t address, uint64_t *offset)
{
	Dwfl_Module *module;
	GElf_Off into = 0;
	GElf_Sym symbol;
	const char *name;

	if (!s->tried)
		open_debug_info(s);
	module = s->dwfl ? dwfl_addrmodule(s->dwfl, address) : NULL;
	if (!module)
		return NULL;
	name = dwfl_module_addrinfo(module, address, &into, &symbol, NULL, NULL, NULL);
	if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || into >= symbol.st_size)
		return NULL;
	*offset = into;
	return name;
}

size_t trace_symbols_problem_count(const struct trace_symbols *s)
{
	return s->problems.count;
}

const char *trace_symbols_problem(const struct trace_symbols *s, size_t i)
{
	return s->problems.items[i];
}
