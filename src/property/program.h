/*
 * What a program is made of, from its ELF files and their DWARF: global variables, the members of
 * structs, functions. Of a recording (addresses as they were then), or of a file.
 *
 * The debugging information is walked once, at the first question that needs it. Without it globals
 * are found by the symbol table, whole; members of structs are not known then.
 */
#ifndef PROPERTY_PROGRAM_H
#define PROPERTY_PROGRAM_H

#include "base/vec.h"
#include "property/raw_value.h"

struct program;

/* A variable or a part of one. */
struct program_part {
	uint64_t address; /* of globals */
	uint64_t offset;  /* of members: in the struct */
	uint64_t size;	  /* bytes; 0 unknown */
	uint8_t form;	  /* enum raw_value_form of its value */
	uint8_t type;	  /* enum spec_type; SPEC_ADDR for structs and arrays */
	bool bits;	  /* a bit-field: its value is not by itself */
	bool external;	  /* of globals: others may name it, it is not static */
};
struct program_parts {
	VEC(struct program_part) list;
};

struct program *program_open(const char *path, struct err *err);
struct program *program_of_trace(const struct trace *trace);
void program_close(struct program *program);

/* Is there debugging information at all? */
bool program_has_types(struct program *program);

/*
 * The struct, union or class that a name or a typedef stands for, as access sites call it: its tag,
 * or the typedef of one without a tag. NULL: there is none.
 */
const char *program_tag(struct program *program, const char *name);

/* A member by its path, "limits.most", also through unnamed members and base classes. */
bool program_member(struct program *program, const char *type, const char *path,
		    struct program_part *part);

/* Is `base` a base class of `type`, near or far, and where in it? */
bool program_base(struct program *program, const char *type, const char *base, uint64_t *offset);

/* All variables of a name, and in them the part that `path` names (NULL: the whole). */
void program_globals(struct program *program, const char *name, const char *path,
		     struct program_parts *parts);

/*
 * A function that fits the glob, of the program or of a library that it uses; `parameters` is -1
 * where nobody says how many.
 */
bool program_function(struct program *program, const char *library, const char *glob,
		      int *parameters);

/* A probe of annotate.h, "app:name", that fits the glob. */
bool program_probe(struct program *program, const char *glob);

/* Each name, for finding what was meant. */
enum program_names { PROGRAM_GLOBALS, PROGRAM_FUNCTIONS, PROGRAM_STRUCTS, PROGRAM_PROBES };
void program_each(struct program *program, enum program_names which,
		  void (*visit)(void *context, const char *name), void *context);
/* The members of a struct; those of unnamed members and base classes are its own. */
void program_each_member(struct program *program, const char *type,
			 void (*visit)(void *context, const char *name), void *context);

#endif
