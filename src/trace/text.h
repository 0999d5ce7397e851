/*
 * The text form of a trace, as tables that the reader and the writer of it share.
 * doc/trace-format.md describes the whole of it.
 */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include "event/event.h"

#include <stddef.h>
#include <stdint.h>

/* How the operation of a kind is written. */
enum text_shape {
	TEXT_NOTHING,	 /* it has no line */
	TEXT_ACCESS,	 /* op(x[@size][,flag]...)[=value]; an update's value is old,new */
	TEXT_ATOMIC,	 /* op(x[@size][,order][,flag]...)[=value] */
	TEXT_FENCE,	 /* op(order) */
	TEXT_OBJECT,	 /* op(x) */
	TEXT_NUMBERED,	 /* op(x,n) */
	TEXT_MODE,	 /* op(x)[=mode]: what n a mode's name stands for is in `modes` */
	TEXT_PAIR,	 /* op(c,m)[=mode] */
	TEXT_THREAD,	 /* op(T) */
	TEXT_BEGIN,	 /* op[(low,high)] */
	TEXT_BARE,	 /* op */
	TEXT_CALL,	 /* op f(...) */
	TEXT_HANDLER,	 /* op(T,signal) */
	TEXT_DESCRIPTOR, /* op(3) */
	TEXT_MISUSE, /* op(sort,object): the object is a lock, condition …; a thread; a descriptor */
};

/* Names are by class: a lock and a variable of one name are two things. */
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
 * A row for each way an operation can be written. Where a kind has several rows, `mode` says
 * which is for which field m; a row with `result` prints "=result" behind the arguments.
 */
struct text_row {
	const char *op;
	uint8_t kind, shape, class;
	uint64_t mode;
	const char *result; /* NULL: no "=" */
};

extern const struct text_row text_rows[];
extern const size_t text_row_count;

/* The row for a kind and mode; NULL when the kind has no line. */
const struct text_row *text_find_row(enum event_kind kind, uint64_t mode);

/* Memory orders and flags of an access; NULL or -1 when there is no such thing. */
const char *text_order_name(unsigned order);
int text_order(const char *name, size_t length);
const char *text_flag_name(unsigned bit);
int text_flag(const char *name, size_t length);
/* Sorts of misuse. */
const char *text_misuse_name(unsigned misuse);
int text_misuse(const char *name, size_t length);
#define TEXT_FLAGS 7
#define TEXT_SEQ_CST 5

/* A variable without @size has this many bytes. */
#define TEXT_SIZE 8

#endif
