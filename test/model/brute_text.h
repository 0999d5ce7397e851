/*
 * The brute force's own reader of text traces (doc/trace-format.md, "The text form"): what the
 * generator writes and what the literature's traces use. Values have up to 8 bytes; fills (0xNN*)
 * and barriers without `passed` are refused. Shares nothing with src/.
 *
 * A signal handler's events are events of the thread it interrupts, where they cut in; findings
 * and schedules name them by the handler's own stream.
 */
#ifndef MODEL_BRUTE_TEXT_H
#define MODEL_BRUTE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_EVENTS 240 /* an event's number, and 255 for "none", fit a byte */
#define MAX_THREADS 12
#define MAX_OBJECTS 32
#define NONE 255

enum kind {
	NOTHING, /* what nobody notices: calls, probes, fences */
	HANDLER, /* not even an event */
	READ,
	WRITE,
	UPDATE,
	ALLOC,
	FREE,
	MAP,
	UNMAP,
	FD_OPEN,
	FD_CLOSE,
	FD_USE,
	CREATE,
	BEGIN,
	END,
	JOIN,
	JOIN_REQUEST,
	DETACH,
	SYNC,
	SEND,
	RECEIVE,
	REGION_BEGIN, /* the probes sooth:atomic_begin and sooth:atomic_end */
	REGION_END,
	MISUSE,
	LOCK_INIT,
	LOCK_DESTROY,
	REQUEST,
	ACQUIRE,
	ACQUIRE_FAIL,
	RELEASE,
	READ_REQUEST,
	READ_ACQUIRE,
	READ_FAIL,
	READ_RELEASE,
	COND_INIT,
	COND_DESTROY,
	WAIT,
	WOKEN,
	SIGNAL,
	BROADCAST,
	SEM_INIT,
	SEM_DESTROY,
	POST,
	DOWN_REQUEST,
	DOWN,
	DOWN_FAIL,
	BARRIER_INIT,
	BARRIER_DESTROY,
	ARRIVE,
	PASS,
	ONCE_BEGIN,
	ONCE_END,
	ONCE,
};

enum how { PLAIN, TRY, TIMED }; /* of a WOKEN, TIMED: it timed out */

enum class { MEMORY, LOCK, CONDITION, SEMAPHORE, BARRIER, ONCES, CHANNEL };

/* What can be misused, as the text names it; and DESTROYED and CLOSED, which are told by two events. */
enum misuse {
	NOT_HELD,
	DESTROY_IN_USE,
	DESTROYED,
	NOT_INIT,
	JOIN_TWICE,
	JOIN_DETACHED,
	HELD_AT_END,
	CLOSED,
	MISUSES
};
extern const char *const misuse_names[MISUSES];

struct event {
	enum kind kind;
	enum how how;
	bool atomic, valued, environment, recursive, robust;
	bool told;	   /* of SEND: its order among the sends is open */
	int thread, index; /* in the order of the thread, handlers included */
	int stream, number_in_stream, line;
	int object;		/* of a sync event, in objects */
	int mutex;		/* of WAIT and WOKEN, in objects */
	int channel;		/* of SEND and RECEIVE, in objects */
	int place;		/* behind the last '|': equal where the text is; 0 none */
	int name;		/* of a region */
	int misuse;		/* of MISUSE: enum misuse */
	int other;		/* CREATE, JOIN, JOIN_REQUEST, DETACH: the thread */
	uint64_t address, size; /* the bytes touched; of a sync event the object's first */
	uint64_t number;	/* SEM_INIT, BARRIER_INIT, ARRIVE */
	uint8_t value[8];	/* read, or written */
	uint8_t old[8];		/* UPDATE */
};

struct object {
	enum class class;
	uint64_t address;
};

struct initial {
	uint64_t address, size;
	uint8_t value[8];
};

struct text {
	int event_count, thread_count, object_count, initial_count;
	struct event events[MAX_EVENTS];
	int length[MAX_THREADS];	     /* how many events a thread has */
	int of[MAX_THREADS][MAX_EVENTS + 1]; /* [thread][index]: number of the event */
	int stream_length[MAX_THREADS];
	int of_stream[MAX_THREADS][MAX_EVENTS + 1]; /* [stream][number_in_stream]: the same */
	int host[MAX_THREADS]; /* the thread that a stream belongs to: mostly its own number */
	struct object objects[MAX_OBJECTS];
	struct initial initials[MAX_OBJECTS];
	char error[200]; /* what is wrong with the text, if text_read said false */
};

bool text_read(const char *path, struct text *text);

#endif
