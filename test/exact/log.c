/*
 * The part of a logged program that is not instrumented: it starts the threads, keeps the logs and
 * writes them to the file that LOG_FILE names.
 */
#include "log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ENTRIES (4u << 20)
#define BYTES (16u << 20)
#define THREADS 2
#define LIVES 4096

struct self {
	struct log_entry *entries, *end;
	u8 *bytes;
	u64 used;
	u64 result;
};

__thread struct log_entry *log_at;
static __thread struct self *self;
static struct self all[THREADS + 1];
static struct log_range lives[LIVES];
static u32 life_count;
static pthread_barrier_t barrier;

extern u8 __start_objects[], __stop_objects[];

static void start(u32 i)
{
	self = &all[i];
	log_at = self->entries;
}

static void keep(u8 kind, u32 line, const void *to, const void *from, u64 size)
{
	struct log_entry *e = log_at++;

	*e = (struct log_entry){ .address = (uintptr_t)to,
				 .line = line,
				 .size = (u32)size,
				 .kind = kind,
				 .value = { self->used, (uintptr_t)from } };
	memcpy(self->bytes + self->used, to, size);
	self->used += size;
}

void log_copy(u32 line, const void *to, const void *from, u64 size)
{
	keep(LOG_COPY, line, to, from, size);
}

void log_fill(u32 line, const void *to, u64 size)
{
	keep(LOG_FILL, line, to, NULL, size);
}

void log_life(const void *object, u64 size)
{
	for (u32 i = 0; i < life_count; i++)
		if (lives[i].address == (uintptr_t)object && lives[i].size == size)
			return;
	u32 at = __atomic_fetch_add(&life_count, 1, __ATOMIC_RELAXED);
	if (at >= LIVES)
		abort();
	lives[at] = (struct log_range){ (uintptr_t)object, size, 0 };
}

u64 log_outside(u64 acc)
{
	return acc ^ 0x55;
}

u64 log_call_back(u64 (*function)(u64, u32, void *), u64 acc, u32 me, void *pointer)
{
	return function(acc, me, pointer) ^ 1;
}

static void *thread(void *argument)
{
	u32 me = (u32)(uintptr_t)argument;

	start(me);
	pthread_barrier_wait(&barrier);
	self->result = program(me, me - 1);
	self->end = log_at;
	return NULL;
}

/*
 * Writes from a copy, because fwrite's reads are recorded, and the log must contain all accesses to
 * the program's objects.
 */
static void put(FILE *out, const void *bytes, size_t size)
{
	char copy[4096];

	for (size_t done = 0, n; done < size; done += n) {
		n = size - done < sizeof(copy) ? size - done : sizeof(copy);
		memcpy(copy, (const char *)bytes + done, n);
		if (fwrite(copy, n, 1, out) != 1)
			abort();
	}
}

static void save(void)
{
	const char *name = getenv("LOG_FILE");
	FILE *out = name ? fopen(name, "wb") : NULL;
	struct log_head head = { LOG_MAGIC, THREADS + 1, 1 + life_count, 0 };
	struct log_range objects = { (uintptr_t)__start_objects,
				     (u64)(__stop_objects - __start_objects), 1 };

	if (!out)
		return;
	put(out, &head, sizeof(head));
	put(out, &objects, sizeof(objects));
	put(out, __start_objects, objects.size);
	put(out, lives, life_count * sizeof(lives[0]));
	for (u32 i = 0; i <= THREADS; i++) {
		struct log_thread t = { i, (u64)(all[i].end - all[i].entries), all[i].used };
		put(out, &t, sizeof(t));
		put(out, all[i].entries, t.entries * sizeof(struct log_entry));
		put(out, all[i].bytes, t.bytes);
	}
	if (fclose(out))
		abort();
}

static void *memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		abort();
	return p;
}

int main(void)
{
	pthread_t threads[THREADS + 1];
	u64 result = 0;

	for (u32 i = 0; i <= THREADS; i++) {
		all[i].entries = all[i].end = memory((size_t)ENTRIES * sizeof(struct log_entry));
		all[i].bytes = memory(BYTES);
	}
	if (program_threads == 1) {
		start(0);
		self->result = program(1, 0);
		self->end = log_at;
	} else {
		pthread_barrier_init(&barrier, NULL, program_threads);
		for (u32 i = 1; i <= program_threads; i++)
			pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)i);
		for (u32 i = 1; i <= program_threads; i++)
			pthread_join(threads[i], NULL);
	}
	for (u32 i = 0; i <= THREADS; i++)
		result += all[i].result;
	printf("%llx\n", (unsigned long long)result);
	save();
	return 0;
}
