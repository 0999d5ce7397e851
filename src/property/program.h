/*
 * The names of a program, from its ELF files and their DWARF: global variables, members of structs,
 * functions and probes. The program is either that of a recording (then variables have their
 * addresses in the recorded run) or an ELF file.
 *
 * Debugging information is read once, at the first query that needs it. Without debugging
 * information the symbol table gives the address and size of a global, but not its members.
 */
#ifndef PROPERTY_PROGRAM_H
#define PROPERTY_PROGRAM_H

#include "base/vec.h"
#include "property/raw_value.h"

struct program;

/* A variable or a part of one. */
struct program_part {
	uint64_t address; /* of a global */
	uint64_t offset;  /* of a member: its offset in the struct */
	uint64_t size;	  /* bytes; 0 if unknown */
	uint8_t form;	  /* enum raw_value_form of its value */
	uint8_t type;	  /* enum spec_type; SPEC_ADDR for structs and arrays */
	bool bits;	  /* a bit-field, whose value cannot be read by itself */
	bool external;	  /* the global is not static */
};
struct program_parts {
	VEC(struct program_part) list;
};

struct program *program_open(const char *path, struct err *err);
struct program *program_of_trace(const struct trace *trace);
void program_close(struct program *program);

/* Does the program have debugging information? */
bool program_has_types(struct program *program);

/*
 * The name that access sites use for the struct, union or class with this name or typedef: its tag,
 * or the typedef if it has no tag. NULL if there is none.
 */
const char *program_tag(struct program *program, const char *name);

/*
 * Finds a member by its path, for example "limits.most". Also searches unnamed members and base
 * classes.
 */
bool program_member(struct program *program, const char *type, const char *path,
		    struct program_part *part);

/* Is `base` a direct or indirect base class of `type`? Sets its offset. */
bool program_base(struct program *program, const char *type, const char *base, uint64_t *offset);

/*
 * Adds all variables with this name. If `path` is not NULL, adds only the part of them that it
 * names.
 */
void program_globals(struct program *program, const char *name, const char *path,
		     struct program_parts *parts);

/*
 * Is there a function that matches the glob, in the program or imported from a library? Sets
 * `parameters` to the number of its parameters, or -1 if that is unknown.
 */
bool program_function(struct program *program, const char *library, const char *glob,
		      int *parameters);

/* Does the program have a SOOTH_PROBE (annotate.h) whose name, "app:name", matches the glob? */
bool program_probe(struct program *program, const char *glob);

/* Visits each name of one kind, for "did you mean" suggestions. */
enum program_names { PROGRAM_GLOBALS, PROGRAM_FUNCTIONS, PROGRAM_STRUCTS, PROGRAM_PROBES };
void program_each(struct program *program, enum program_names which,
		  void (*visit)(void *context, const char *name), void *context);
/* Visits the members of a struct, including those of unnamed members and base classes. */
void program_each_member(struct program *program, const char *type,
			 void (*visit)(void *context, const char *name), void *context);

#endif
