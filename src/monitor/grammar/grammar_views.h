/*
 * The words of a view that are open: one for each thread, each object, or one for all; by key: the number
 * of the thread, of the object's value, or 0. Of each the last events of its session are kept for
 * people. Memory is that of the keys that live.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_VIEWS_H
#define MONITOR_GRAMMAR_GRAMMAR_VIEWS_H

#include "grammar/word.h"
#include "property/property.h"

struct view_word {
	struct grammar_word *word;    /* NULL: it is not judged any further */
	VEC(struct event_id) session; /* its last VIEW_SHOWN events, as a ring */
	size_t oldest;		      /* in the ring, once it is full */
	uint64_t length;	      /* of the session */
	struct property_event last;   /* the last event; its `bindings` have no meaning */
};
#define VIEW_SHOWN 200u

struct view {
	VEC(uint32_t) by_key; /* number + 1 in words; 0: none */
	VEC(struct view_word) words;
	VEC(uint32_t) vacant; /* numbers of words that nobody has */
	uint64_t opened;      /* words so far */
	uint64_t open, most;  /* now, and how many at once */
};

/* The word of a key, good until the next one is opened; NULL: it has none. */
struct view_word *view_find(const struct view *view, uint32_t key);
/* The same, opened where there is none. NULL: its head fails, `err`. */
struct view_word *view_open(struct view *view, uint32_t key, struct grammar_parser *parser,
			    struct err *err);
/* An event that the word is about to take: the first of a session starts the ring anew. */
void view_note(struct view_word *word, const struct property_event *event);
/* The session's last events, in their order. */
void view_take_session(const struct view_word *word, struct event_id *out);

/* It is not judged any further, but its key keeps it: later events are of a word that is over. */
void view_silence(struct view *view, struct view_word *word);
/* The key is gone. */
void view_close(struct view *view, uint32_t key);
void view_free(struct view *view);

#endif
