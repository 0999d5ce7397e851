/*
 * The text form of a trace, as tables that its reader and its writer share. doc/trace-format.md
 * describes the format.
 */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include "event/event.h"

#include <stddef.h>
#include <stdint.h>

/* How the operation of a kind is written. */
enum text_shape {
	TEXT_NOTHING,	 /* the kind has no line */
	TEXT_ACCESS,	 /* op(x[@size][,flag]...)[=value]; an update's value is old,new */
	TEXT_ATOMIC,	 /* op(x[@size][,order][,flag]...)[=value] */
	TEXT_FENCE,	 /* op(order) */
	TEXT_OBJECT,	 /* op(x) */
	TEXT_NUMBERED,	 /* op(x,n) */
	TEXT_MODE,	 /* op(x)[=result]: the row has the mode for this result */
	TEXT_PAIR,	 /* op(c,m)[=result] */
	TEXT_THREAD,	 /* op(T) */
	TEXT_BEGIN,	 /* op[(low,high)] */
	TEXT_BARE,	 /* op */
	TEXT_CALL,	 /* op f(...) */
	TEXT_HANDLER,	 /* op(T,signal) */
	TEXT_DESCRIPTOR, /* op(3) */
	TEXT_MISUSE,	 /* op(sort,object): a lock, condition …; a thread; or a descriptor */
};

/* Names are separate per class: a lock and a variable of the same name are two objects. */
enum text_class {
	TEXT_MEMORY,
	TEXT_LOCK,
	TEXT_CONDITION,
	TEXT_SEMAPHORE,
	TEXT_BARRIER,
	TEXT_ONCE,
	TEXT_CHANNEL,
};

/*
 * A row for each way in which an operation can be written. If a kind has several rows, each row is
 * for one value of field m, its `mode`. A row with `result` prints "=result" after the arguments.
 */
struct text_row {
	const char *op;
	uint8_t kind, shape, class;
	uint64_t mode;
	const char *result; /* NULL: no "=" */
};

extern const struct text_row text_rows[];
extern const size_t text_row_count;

/* Returns the row for a kind and mode, or NULL if the kind has no line. */
const struct text_row *text_find_row(enum event_kind kind, uint64_t mode);

/*
 * Names and numbers of memory orders, and of the flags of an access. An unknown order has the name
 * "seq_cst", an unknown flag NULL. An unknown name has the number -1.
 */
const char *text_order_name(unsigned order);
int text_order(const char *name, size_t length);
const char *text_flag_name(unsigned bit);
int text_flag(const char *name, size_t length);
/* Kinds of misuse. */
const char *text_misuse_name(unsigned misuse);
int text_misuse(const char *name, size_t length);
#define TEXT_FLAGS 7
#define TEXT_SEQ_CST 5

/* Size in bytes of a variable without @size. */
#define TEXT_SIZE 8

#endif
