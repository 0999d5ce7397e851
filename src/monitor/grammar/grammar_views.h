/*
 * The open words of a view: one for each thread, one for each object, or a single one. They are
 * found by key: the number of the thread, of the object's value, or 0. For each word the last
 * events of its session are kept for the report. Memory is proportional to the live keys.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_VIEWS_H
#define MONITOR_GRAMMAR_GRAMMAR_VIEWS_H

#include "grammar/word.h"
#include "property/property.h"

struct view_word {
	struct grammar_word *word;    /* NULL: not judged any further */
	VEC(struct event_id) session; /* its last VIEW_SHOWN events, as a ring */
	size_t oldest;		      /* index in the ring, once it is full */
	uint64_t length;	      /* number of events in the session */
	struct property_event last;   /* its `bindings` are not valid */
};
#define VIEW_SHOWN 200u

struct view {
	VEC(uint32_t) by_key; /* index in `words` + 1; 0: none */
	VEC(struct view_word) words;
	VEC(uint32_t) vacant; /* unused indices of `words` */
	uint64_t opened;      /* words opened so far */
	uint64_t open, most;  /* open now, and the most at once */
};

/* Returns the word of a key, valid until the next one is opened; NULL if there is none. */
struct view_word *view_find(const struct view *view, uint32_t key);
/*
 * Like view_find(), but opens the word if there is none. Returns NULL with `err` set if the
 * grammar's head fails.
 */
struct view_word *view_open(struct view *view, uint32_t key, struct grammar_parser *parser,
			    struct err *err);
/* Records the event that the word reads next. The first event of a session restarts the ring. */
void view_record_event(struct view_word *word, const struct property_event *event);
/* Copies the last events of the session in their order. */
void view_copy_session(const struct view_word *word, struct event_id *out);

/* Stops judging the word, but keeps it under its key: later events still belong to it. */
void view_stop_word(struct view *view, struct view_word *word);
/* Forgets the key and its word. */
void view_close(struct view *view, uint32_t key);
void view_free(struct view *view);

#endif
