/*
 * A second reader of text traces (doc/trace-format.md, "The text form"), only for the brute force:
 * what the generator writes and the traces of the literature use. Values have up to 8 bytes. Fills
 * (0xNN*) and barriers without `passed` are refused. Shares nothing with src/.
 *
 * The events of a signal handler count as events of the interrupted thread, at the point of
 * interruption. Findings and schedules name them by the handler's own stream.
 */
#ifndef MODEL_BRUTE_TEXT_H
#define MODEL_BRUTE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_EVENTS 240 /* event numbers, and 255 for "none", must fit into a byte */
#define MAX_THREADS 12
#define MAX_OBJECTS 32
#define NONE 255

enum kind {
	NOTHING, /* events without any effect on others: calls, probes, fences */
	HANDLER, /* not an event at all */
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

enum how { PLAIN, TRY, TIMED }; /* for a WOKEN, TIMED means that it timed out */

enum class { MEMORY, LOCK, CONDITION, SEMAPHORE, BARRIER, ONCES, CHANNEL };

/*
 * The kinds of misuse that a text can name, and DESTROYED and CLOSED, which are found from two
 * events.
 */
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
	bool told;	   /* SEND: its order among the sends is open */
	int thread, index; /* `index` counts the thread's events, including those of its handlers */
	int stream, number_in_stream, line;
	int object;  /* sync event: index in objects */
	int mutex;   /* WAIT and WOKEN: index in objects */
	int channel; /* SEND and RECEIVE: index in objects */
	/* site, the text after the last '|': equal numbers for equal texts; 0: none */
	int place;
	int name;   /* region: number of its name */
	int misuse; /* MISUSE: enum misuse */
	int other;  /* CREATE, JOIN, JOIN_REQUEST, DETACH: the thread */
	/* the bytes that are accessed; sync event: the object's first byte */
	uint64_t address, size;
	uint64_t number;  /* SEM_INIT, BARRIER_INIT, ARRIVE */
	uint8_t value[8]; /* the value read or written */
	uint8_t old[8];	  /* UPDATE: the value read */
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
	int length[MAX_THREADS];	     /* by thread: number of its events */
	int of[MAX_THREADS][MAX_EVENTS + 1]; /* [thread][index]: number of the event */
	int stream_length[MAX_THREADS];
	int of_stream[MAX_THREADS][MAX_EVENTS + 1]; /* [stream][number_in_stream]: the same */
	/* by stream: the thread that it belongs to, in most cases the same number */
	int host[MAX_THREADS];
	struct object objects[MAX_OBJECTS];
	struct initial initials[MAX_OBJECTS];
	char error[200]; /* set if text_read() returns false */
};

bool text_read(const char *path, struct text *text);

#endif
