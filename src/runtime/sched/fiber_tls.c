/*
 * Makes a fiber's thread-local variables and, above them, the C library's thread descriptor (struct
 * pthread).
 *
 * _dl_allocate_tls() would only allocate this block. start_thread() and allocate_stack() then fill
 * in the descriptor, whose layout is private. So a kernel thread, the *model*, is started once, and
 * its block is copied. Each new thread gets a copy of that block. Words that point into the block
 * itself are relocated: the thread pointer, the list of robust mutexes, the resolver's state. No
 * other words have to be changed for a new thread, except for its id and stack. The runtime's
 * variables that are written before they are read (fiber.h) are not copied; they are two fifths of
 * the block. So some 3 KiB are copied for each thread. Most of the cost of a copy is that a hundred
 * of them do not fit into the cache.
 *
 * _dl_allocate_tls() costs the same, and leaves half of the descriptor zero: then
 * pthread_getattr_np, stdio's locale and sched_getcpu do not work.
 */
#include "runtime/sched/fiber.h"

#include "event/control.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/server/snapshot.h"
#include "runtime/sync/thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

/*
 * An entry of a thread's vector of TLS blocks ("dtv"). The first entry is the vector's size, the
 * second its generation.
 */
struct vector_entry {
	uint64_t value;
	void *to_free;
};

/* the model's stack size: a value that occurs only once in its descriptor */
#define MODEL_STACK 0x43000u
#define RELOCATED_MOST 64u
#define PARTS_MOST 8u
/* entries of the vector, including those for libraries that are loaded later */
#define VECTOR_MOST 120u
/*
 * The lowest thread id of fibers. No kernel thread has so high an id. It must fit into 30 bits,
 * because locks store their owner in 30 bits.
 */
#define FIRST_TID 0x20000000

struct vector {
	struct vector_entry entry[VECTOR_MOST];
};

/* A part of the block that is copied: offset and size, both multiples of 16 bytes. */
struct fiber_tls_part {
	uint32_t at, bytes;
};
/* A word of the block that points into the block, and its value in the model. */
struct relocated {
	uint32_t at;
	uint64_t value;
};
typedef uint64_t any_word __attribute__((may_alias));

static struct {
	bool known;
	size_t bytes;	    /* size of the block */
	size_t first;	    /* offset of the first byte in use; before it is room for libraries */
	uint8_t *block;	    /* a copy of the model's block */
	uintptr_t low, top; /* where the model's block was; `top` is also the stack's end */
	uint64_t thread_pointer;
	size_t first_frame; /* distance of a routine's first frame from the top */
	struct fiber_tls_part parts[PARTS_MOST];
	uint32_t part_count;
	struct relocated relocated[RELOCATED_MOST];
	uint32_t relocated_count;
	uint32_t stack_at, stack_size_at; /* offsets of the stack's address and size */
	uint32_t tid_at;
	struct vector vector;
	uint32_t vector_count;
	uint32_t vector_relocated; /* entries from here on do not point into the block */
	struct vector *vectors;	   /* the vectors of the fibers, by thread number */
} model;

bool fiber_writes_fs;

/*
 * Room for the frames of the functions that call a thread's routine. The routine's frame is at the
 * same distance from the stack's end as in a kernel thread, and there is hardly any room above it
 * on the stack. But the callers' frames must be above it, because the C library unwinds a thread as
 * long as addresses rise. So they are here, in the block above the stack.
 */
static SOOTH_TLS struct {
	uint8_t bytes[768] __attribute__((aligned(16)));
} frames[1];

/* ---- the model thread ------------------------------------------------------------------------ */

static uint64_t own_thread_pointer(void)
{
	return (uint64_t)pthread_self();
}

/* Returns the offset of the first word of the descriptor that has this value, or 0. */
static uint32_t find_word(uint64_t value)
{
	for (size_t at = model.thread_pointer - model.low; at + 8 <= model.bytes; at += 8) {
		uint64_t word;
		memcpy(&word, model.block + at, 8);
		if (word == value)
			return (uint32_t)at;
	}
	return 0;
}

static void copy_vector(void)
{
	const struct vector_entry *vector = *(struct vector_entry **)(model.thread_pointer + 8);
	uint64_t count = vector[-1].value + 2;

	if (count > VECTOR_MOST)
		return;
	memcpy(model.vector.entry, vector - 1, count * sizeof(*vector));
	model.vector_count = (uint32_t)count;
}

/* The routine of the model thread. No code of the program has run in that thread. */
static void *run_as_model(void *unused)
{
	(void)unused;
	model.thread_pointer = own_thread_pointer();
	model.first_frame = model.top - ((uintptr_t)__builtin_frame_address(0) + 16);
	memcpy(model.block, (void *)model.low, model.bytes);
	copy_vector();
	thread_buffer_self.quiet = true;
	return NULL;
}

static bool start_model_thread(uint8_t *stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, MODEL_STACK);
	bool ok = real()->pthread_create(&thread, &attributes, run_as_model, NULL) == 0 &&
		  real()->pthread_join(thread, NULL) == 0;
	pthread_attr_destroy(&attributes);
	return ok;
}

/* ---- finding the fields of the model --------------------------------------------------------- */

static bool find_tid(void)
{
	/*
	 * The C library describes each field of its descriptor to debuggers by three numbers: bits,
	 * count, offset.
	 */
	const uint32_t *field = dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");

	if (!field || field[0] != 32)
		return false;
	model.tid_at = (uint32_t)(model.thread_pointer - model.low) + field[2];
	return model.tid_at + 4 <= model.bytes;
}

/*
 * Finds the lowest offset in use. Below are the variables of libraries that are loaded later at a
 * fixed offset. That room need not be copied: it is zero in a new stack, and runs whose memory is
 * restored do not use it.
 */
static void find_first_used(void)
{
	uint64_t lowest = model.thread_pointer;

	for (uint32_t i = 2; i < model.vector_count; i++) {
		uint64_t at = model.vector.entry[i].value;
		if (at - model.low >= model.bytes)
			continue;
		lowest = at < lowest ? at : lowest;
		model.vector_relocated = i + 1;
	}
	model.first = (lowest - model.low) & ~63ul;
}

static bool find_relocated(void)
{
	for (size_t at = 0; at + 8 <= model.bytes; at += 8) {
		uint64_t word;
		memcpy(&word, model.block + at, 8);
		if (word - model.low >= model.bytes)
			continue;
		if (model.relocated_count == RELOCATED_MOST)
			return false;
		model.relocated[model.relocated_count++] = (struct relocated){ (uint32_t)at, word };
	}
	return true;
}

/* ---- finding the parts to copy --------------------------------------------------------------- */

static void *frames_scratch(size_t *bytes)
{
	*bytes = sizeof(frames);
	return frames;
}

/* Finds the first scratch variable in the block at or after the offset `from`. False: none. */
static bool next_scratch(size_t from, size_t *at, size_t *bytes)
{
	static void *(*const all[])(size_t *) = { frames_scratch, fiber_end_scratch,
						  access_decoder_scratch, record_scratch };

	*at = model.bytes;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t size;
		size_t offset = (uint64_t)all[i](&size) - own_thread_pointer() +
				model.thread_pointer - model.low;
		if (offset < from || offset >= *at)
			continue;
		*at = (offset + 15) & ~15ul;
		*bytes = ((offset + size) & ~15ul) - *at;
	}
	return *at < model.bytes;
}

static void find_parts(void)
{
	size_t from = model.first, at, bytes = 0;

	while (model.part_count < PARTS_MOST - 1 && next_scratch(from, &at, &bytes)) {
		if (at > from)
			model.parts[model.part_count++] =
				(struct fiber_tls_part){ (uint32_t)from, (uint32_t)(at - from) };
		from = at + bytes;
	}
	model.parts[model.part_count++] =
		(struct fiber_tls_part){ (uint32_t)from, (uint32_t)(model.bytes - from) };
}

static size_t static_tls_bytes(void)
{
	void (*info)(size_t *, size_t *) = (void (*)(size_t *, size_t *))(uintptr_t)dlsym(
		RTLD_DEFAULT, "_dl_get_tls_static_info");
	size_t bytes = 0, alignment = 0;

	if (info)
		info(&bytes, &alignment);
	return (bytes + 63) & ~63ul;
}

bool fiber_learn(const char **why)
{
	if (model.known)
		return true;
	fiber_writes_fs = getauxval(AT_HWCAP2) & 2; /* FSGSBASE */
	model.bytes = static_tls_bytes();
	uint8_t *stack = snapshot_lasting(MODEL_STACK);
	model.block = snapshot_lasting(model.bytes);
	model.vectors = snapshot_lasting(CONTROL_THREADS * sizeof(struct vector));
	*why = "no memory for fibers";
	if (!stack || !model.block || !model.vectors)
		return false;
	*why = "thread-local variables are too large for fibers";
	if (!model.bytes || model.bytes > MODEL_STACK / 2)
		return false;
	model.top = (uintptr_t)stack + MODEL_STACK;
	model.low = model.top - model.bytes;
	*why = "cannot start a thread to copy";
	if (!start_model_thread(stack))
		return false;
	*why = "this C library is not supported by fibers";
	if (!model.vector_count || !find_tid() || !find_relocated())
		return false;
	model.stack_at = find_word((uint64_t)stack);
	model.stack_size_at = find_word(MODEL_STACK);
	find_first_used();
	find_parts();
	munmap(stack, MODEL_STACK);
	model.known = true;
	return true;
}

/* ---- making a copy --------------------------------------------------------------------------- */

static inline any_word *word_at(uint8_t *block, uint32_t at)
{
	return (any_word *)(block + at);
}

/*
 * Copies small parts in a loop, because the `rep movsb` of memcpy takes longer to start. (The
 * thread with the same number in the previous run has left most bytes as they must be. But
 * comparing them would be slower than writing them.)
 */
#define SMALL 1024u
static inline void copy_part(uint8_t *block, const struct fiber_tls_part *part)
{
	__m128i *to = (__m128i *)(block + part->at);
	const __m128i *from = (const __m128i *)(model.block + part->at);

	if (part->bytes > SMALL) {
		memcpy(to, from, part->bytes);
		return;
	}
	for (uint32_t i = 0; i < part->bytes / sizeof(*to); i++)
		to[i] = from[i];
}

/*
 * The vector's size is set so large that the C library never enlarges the vector: the C library has
 * not allocated it. Entries that are not set here are zero.
 */
static void make_vector(uint32_t number, uint64_t delta)
{
	struct vector *vector = &model.vectors[number];
	uint32_t i = 2, relocated = model.vector_relocated;

	vector->entry[0].value = VECTOR_MOST - 2;
	vector->entry[1] = model.vector.entry[1];
	for (; i < relocated; i++) {
		uint64_t value = model.vector.entry[i].value;
		vector->entry[i].value = value + (value - model.low < model.bytes ? delta : 0);
		vector->entry[i].to_free = model.vector.entry[i].to_free;
	}
	for (; i < model.vector_count; i++)
		vector->entry[i] = model.vector.entry[i];
}

bool fiber_make_tls(uint32_t number, void *low, size_t bytes, struct fiber_layout *layout)
{
	uintptr_t top = ((uintptr_t)low + bytes) & ~63ul;
	uint8_t *block = (uint8_t *)(top - model.bytes);
	uint64_t delta = top - model.top;

	if (bytes < model.bytes + model.first_frame + 4096)
		return false;
	for (uint32_t i = 0; i < model.part_count; i++)
		copy_part(block, &model.parts[i]);
	for (uint32_t i = 0; i < model.relocated_count; i++)
		*word_at(block, model.relocated[i].at) = model.relocated[i].value + delta;
	make_vector(number, delta);
	layout->thread_pointer = model.thread_pointer + delta;
	*word_at((uint8_t *)layout->thread_pointer, 8) = (uint64_t)&model.vectors[number].entry[1];
	if (model.stack_at)
		*word_at(block, model.stack_at) = (uint64_t)low;
	if (model.stack_size_at)
		*word_at(block, model.stack_size_at) = bytes;
	*(int __attribute__((may_alias)) *)(block + model.tid_at) = FIRST_TID + (int)number;

	layout->start =
		(void *)(layout->thread_pointer + ((uint64_t)(frames + 1) - own_thread_pointer()));
	layout->first_frame = (void *)(top - model.first_frame);
	return true;
}

int fiber_tls_tid(uint64_t thread_pointer)
{
	int tid;

	memcpy(&tid, (void *)(thread_pointer + model.tid_at - (model.thread_pointer - model.low)),
	       sizeof(tid));
	return tid;
}

void *fiber_prepare_stack(void *top, void (*function)(void *), void *argument)
{
	any_word *frame = (any_word *)(((uintptr_t)top & ~15ul) - 80);

	for (int i = 0; i < 10; i++)
		frame[i] = 0;
	/* A thread starts with the floating-point modes of its creator. */
	__asm__("stmxcsr %0\n\tfnstcw %1" : "+m"(frame[0]), "=m"(*((uint32_t *)frame + 1)));
	frame[3] = (uint64_t)argument; /* %r13 */
	frame[4] = (uint64_t)function; /* %r12 */
	frame[7] = (uint64_t)fiber_first;
	return frame;
}
