/*
 * Tests the functions that replace those of <string.h>: compared with the library's own on random
 * inputs that end just before an inaccessible page, and the accesses that they record.
 */
// build: -fno-builtin
#include "recorded.h"
#include "runtime/memory/range.h"

#include <ctype.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

/* ---- random inputs ---- */

static uint64_t state = 88172645463325252ull;

static unsigned pick(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % below;
}

static unsigned length(void)
{
	unsigned kind = pick(1000);

	return kind < 700 ? pick(20) : kind < 997 ? pick(200) : pick(6000);
}

#define ROOM 16384
struct arena {
	char *end; /* memory from here on is not accessible */
};
static struct arena a, b, c, d;

static void make_arena(struct arena *arena)
{
	char *map =
		mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(map + ROOM, 4096, PROT_NONE);
	arena->end = map + ROOM;
}

/*
 * Makes `size` bytes, in most cases just before the end of the arena, with few different values and
 * without zeros.
 */
static char *bytes(struct arena *arena, size_t size)
{
	char *at = arena->end - size - (pick(2) ? 0 : pick(64));
	unsigned kinds = 1 + pick(4);

	for (size_t i = 0; i < size; i++)
		at[i] = "aAbB"[pick(kinds)] + (pick(500) == 0 ? (char)128 : 0);
	return at;
}

static char *string(struct arena *arena, size_t size)
{
	char *at = bytes(arena, size + 1);

	at[size] = 0;
	return at;
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

/* Returns the same bytes at the same offset of another arena. */
static char *twin(struct arena *to, const char *at, struct arena *from)
{
	char *copy = to->end - (from->end - at);

	memcpy(copy, at, (size_t)(from->end - at));
	return copy;
}

#define SAME(seen, expected) CHECK_SAME((uintptr_t)(seen), (uintptr_t)(expected))

/* ---- functions that read ---- */

static void compare_reads(void)
{
	size_t size = length();
	char *s = string(&a, size);
	int byte = pick(8) ? "aAbBz"[pick(5)] : 0;
	size_t limit = pick(3) ? pick((unsigned)size + 10) : SIZE_MAX;
	size_t within = limit < size ? limit : size + 1;

	SAME(__sooth_strlen(s), strlen(s));
	SAME(__sooth_strnlen(s, limit), strnlen(s, limit));
	SAME(__sooth_strchr(s, byte), strchr(s, byte));
	SAME(__sooth_strrchr(s, byte), strrchr(s, byte));
	SAME(__sooth_strchrnul(s, byte), strchrnul(s, byte));
	SAME(__sooth_rawmemchr(s, 0), rawmemchr(s, 0));
	SAME(__sooth_memchr(s, byte, within), memchr(s, byte, within));
	SAME(__sooth_memrchr(s, byte, within), memrchr(s, byte, within));

	char *set = string(&b, pick(5));
	SAME(__sooth_strspn(s, set), strspn(s, set));
	SAME(__sooth_strcspn(s, set), strcspn(s, set));
	SAME(__sooth_strpbrk(s, set), strpbrk(s, set));

	char *needle = string(&b, pick(100) ? pick(6) : pick(600));
	if (pick(3) == 0 && size > 10) { /* a part that occurs in the text */
		size_t from = pick((unsigned)size), count = pick((unsigned)(size - from)) % 300;
		needle = string(&b, count);
		memcpy(needle, s + from, count);
	}
	SAME(__sooth_strstr(s, needle), strstr(s, needle));
	SAME(__sooth_memmem(s, within, needle, strlen(needle)),
	     memmem(s, within, needle, strlen(needle)));
}

static void compare_comparisons(void)
{
	size_t size = length();
	char *s = string(&a, size);
	char *t = string(&b, size);
	size_t limit = pick(3) ? pick((unsigned)size + 10) : SIZE_MAX;

	memcpy(t, s, size + 1);
	for (int i = (int)pick(3); size && i > 0; i--)
		t[pick((unsigned)size)] = "aAbB\0\xc4"[pick(6)];
	if (pick(10) == 0)
		for (size_t i = 0; i < size; i++)
			t[i] = (char)tolower((unsigned char)t[i]);
	SAME(sign(__sooth_strcmp(s, t)), sign(strcmp(s, t)));
	SAME(sign(__sooth_strncmp(s, t, limit)), sign(strncmp(s, t, limit)));
	SAME(sign(__sooth_strcasecmp(s, t)), sign(strcasecmp(s, t)));
	SAME(sign(__sooth_strncasecmp(s, t, limit)), sign(strncasecmp(s, t, limit)));
	SAME(sign(__sooth_memcmp(s, t, size)), sign(memcmp(s, t, size)));
	SAME(__sooth_bcmp(s, t, size) != 0, bcmp(s, t, size) != 0);
}

/* ---- functions that write: the same call on twins ---- */

#define TWICE(name, result, ...)                                                                   \
	do {                                                                                       \
		char *to = mine;                                                                   \
		uintptr_t seen = (uintptr_t)__sooth_##name(__VA_ARGS__);                           \
		to = theirs;                                                                       \
		uintptr_t expected = (uintptr_t)name(__VA_ARGS__);                                 \
		if (result)                                                                        \
			CHECK_SAME(seen - (uintptr_t)mine, expected - (uintptr_t)theirs);          \
		CHECK_SAME(memcmp(c.end - 16000, d.end - 16000, 16000), 0);                        \
	} while (0)

static void compare_copies(void)
{
	size_t size = length(), room = size + pick(40);
	char *from = string(&a, size);
	char *mine = bytes(&c, room + 1);
	char *theirs = twin(&d, mine, &c);
	size_t limit = pick(2) ? pick((unsigned)size + 1) : room;

	TWICE(memcpy, true, to, from, size);
	TWICE(mempcpy, true, to, from, size);
	TWICE(memset, true, to, (int)pick(1) + 'x', size);
	TWICE(strcpy, true, to, from);
	TWICE(stpcpy, true, to, from);
	TWICE(strncpy, true, to, from, limit);
	TWICE(stpncpy, true, to, from, limit);
	TWICE(__memcpy_chk, true, to, from, size, room);
	TWICE(__mempcpy_chk, true, to, from, size, room);
	TWICE(__memset_chk, true, to, 'y', size, room);
	TWICE(__strcpy_chk, true, to, from, room + 1);
	TWICE(__stpcpy_chk, true, to, from, room + 1);
	TWICE(__strncpy_chk, true, to, from, limit, room);
}

static void compare_moves(void)
{
	size_t size = length(), shift = pick(2) ? pick(20) : pick((unsigned)size + 1);
	char *mine = bytes(&c, size + shift);
	char *theirs = twin(&d, mine, &c);

	TWICE(memmove, true, to + shift, to, size);
	TWICE(memmove, true, to, to + shift, size);
	TWICE(__memmove_chk, true, to + shift, to, size, size);
	__sooth_bcopy(mine + shift, mine, size);
	bcopy(theirs + shift, theirs, size);
	CHECK_SAME(memcmp(mine, theirs, size + shift), 0);
	__sooth_bzero(mine, size / 2);
	bzero(theirs, size / 2);
	CHECK_SAME(memcmp(mine, theirs, size + shift), 0);
}

static void compare_appends(void)
{
	size_t size = length() / 2, before = length() / 2;
	char *from = string(&a, size);
	char *mine = string(&c, before + 2 * size + 1);
	size_t room = (size_t)(c.end - mine), limit = pick((unsigned)size + 3);

	mine[before] = 0;
	char *theirs = twin(&d, mine, &c);
	TWICE(strcat, true, to, from);
	mine[before] = theirs[before] = 0;
	TWICE(__strcat_chk, true, to, from, room);
	mine[before] = theirs[before] = 0;
	TWICE(strncat, true, to, from, limit);
	mine[before] = theirs[before] = 0;
	TWICE(__strncat_chk, true, to, from, limit, room);

	char *copy = __sooth_strdup(from);
	CHECK_SAME(strcmp(copy, from), 0);
	free(copy);
	copy = __sooth_strndup(from, limit);
	CHECK_SAME(strlen(copy), strnlen(from, limit));
	CHECK_SAME(memcmp(copy, from, strlen(copy)), 0);
	free(copy);
}

/* ---- checks that stop the program ---- */

static char small[8];

static void overflow_memcpy(void)
{
	__sooth___memcpy_chk(small, "0123456789", 10, 8);
}

static void overflow_strcpy(void)
{
	__sooth___strcpy_chk(small, "01234567", 8);
}

static void overflow_strcat(void)
{
	strcpy(small, "0123");
	__sooth___strncat_chk(small, "4567", 4, 8);
}

static void fits(void)
{
	__sooth___strcpy_chk(small, "0123", 8);
	__sooth___strncat_chk(small, "456", 4, 8);
	CHECK_SAME(strcmp(small, "0123456"), 0);
}

/* ---- what is recorded ---- */

static const char *const text = "one two three";

static void reads(void)
{
	char other[] = "one tWo";

	__sooth_strlen(text);
	__sooth_strchr(text, 't');
	__sooth_memchr(text, 'n', 5);
	__sooth_memrchr(text, 't', 13);
	__sooth_strcmp(text, other);
	__sooth_memcmp(text, "one two", 7);
	__sooth_strncmp(text, other, 4);
	__sooth_strstr(text, "two");
	__sooth_strspn(text, "neo");
}

static void check_reads(const struct recorded *r)
{
	static const struct {
		int from, size; /* offset in `text`; -1: another address */
	} expected[] = {
		{ 0, 14 }, { 0, 5 }, { 0, 2 },	{ 8, 5 },  { 0, 6 }, { -1, 6 }, { 0, 7 },
		{ -1, 7 }, { 0, 4 }, { -1, 4 }, { -1, 4 }, { 0, 7 }, { -1, 4 }, { 0, 4 },
	};
	size_t count = sizeof(expected) / sizeof(*expected);

	for (size_t i = 0; i <= count; i++) {
		const struct recorded_event *e = recorded_find(r, EV_READ, i);
		CHECK_SAME(e->f.size, i < count ? expected[i].size : 0);
		CHECK_SAME(e->f.n, e->f.size);
		if (i == count || expected[i].from < 0)
			continue;
		CHECK_SAME(e->f.a, (uintptr_t)text + (uintptr_t)expected[i].from);
		CHECK_SAME(memcmp(e->f.bytes, text + expected[i].from, e->f.size), 0);
	}
}

static char from_here[10000], to_here[10000];

static void writes(void)
{
	for (size_t i = 0; i < sizeof(from_here); i++)
		from_here[i] = (char)(i % 251);
	__sooth_memcpy(to_here, from_here, 10000);
	__sooth_memmove(from_here + 10, from_here, 9000);
	__sooth_memset(to_here, 300, 5000);
	__sooth_strncpy(to_here, "abc", 10);
	__sooth_memcpy(to_here, from_here, 0);
}

static void check_writes(const struct recorded *r)
{
	static const size_t sizes[] = { 4000, 4000, 2000, 4000, 4000, 1000, 4, 0 };
	static const size_t at[] = { 0, 4000, 8000, 5010, 1010, 10 };
	size_t done = 0;

	for (size_t i = 0; i < 8; i++) {
		const struct recorded_event *e = recorded_find(r, EV_COPY, i);
		CHECK_SAME(e->f.n, sizes[i]);
		CHECK_SAME(e->f.size, sizes[i]);
		if (i < 6)
			CHECK_SAME(e->f.a - (uintptr_t)(i < 3 ? to_here : from_here), at[i]);
		for (size_t k = 0; i < 3 && k < e->f.size; k++)
			CHECK_SAME(e->f.bytes[k], done++ % 251);
	}
	CHECK_SAME(recorded_find(r, EV_FILL, 0)->f.n, 5000);
	CHECK_SAME(recorded_find(r, EV_FILL, 0)->f.m, 300 & 255);
	CHECK_SAME(recorded_find(r, EV_FILL, 1)->f.n, 6);
}

/* ---- while another thread changes it: what was copied is what was recorded ---- */

static volatile bool stop;
static char moving[256];

static void *change(void *unused)
{
	for (unsigned i = 0; !stop; i++)
		memset(moving, (int)(1 + i % 100), 255);
	return unused;
}

#define RACES 3000
static char taken[RACES][256];
static size_t found[RACES];

static void race(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
	for (int i = 0; i < RACES; i++) {
		__sooth_memcpy(taken[i], moving, 255);
		found[i] = (size_t)((char *)__sooth_memchr(moving, 50, 256) - moving);
	}
	stop = true;
	pthread_join(thread, NULL);
	/* Records the values that this process has seen, for the check in the parent. */
	for (int i = 0; i < RACES; i++) {
		__sooth_memcpy(to_here, taken[i], 255);
		__sooth_memcpy(to_here, &found[i], sizeof(found[i]));
	}
}

static void check_race(const struct recorded *r)
{
	size_t read = 0;

	for (size_t i = 0; i < RACES; i++) {
		const struct recorded_event *copy = recorded_find(r, EV_COPY, i);
		const struct recorded_event *told = recorded_find(r, EV_COPY, RACES + 2 * i);
		const struct recorded_event *result = recorded_find(r, EV_COPY, RACES + 2 * i + 1);
		size_t at;
		CHECK_SAME(memcmp(copy->f.bytes, told->f.bytes, 255), 0);
		memcpy(&at, result->f.bytes, sizeof(at));
		for (size_t seen = 0; seen < 256;) { /* all reads of one memchr */
			const struct recorded_event *e = recorded_find(r, EV_READ, read++);
			const uint8_t *hit = memchr(e->f.bytes, 50, e->f.size);
			if (hit) {
				CHECK_SAME(seen + (size_t)(hit - e->f.bytes), at);
				CHECK(hit + 1 == e->f.bytes + e->f.size);
				break;
			}
			if (e->f.size == 0)
				break;
			seen += e->f.size;
			CHECK(seen < 256 || at > 256);
		}
	}
}

/* ---- a copy that faults, and a program that goes on: the record of it is not there ---- */

static sigjmp_buf back;

static void on_fault(int number)
{
	siglongjmp(back, number);
}

static void faults(void)
{
	signal(SIGSEGV, on_fault);
	for (volatile int i = 0; i < 20; i++) {
		if (sigsetjmp(back, 1) == 0)
			__sooth_memcpy(to_here, a.end - 100, 200);
		__sooth_memcpy(to_here + i, from_here + i, 1);
	}
}

static void check_faults(const struct recorded *r)
{
	for (size_t i = 0; i < 20; i++) {
		CHECK_SAME(recorded_find(r, EV_COPY, i)->f.a, (uintptr_t)to_here + i);
		CHECK_SAME(recorded_find(r, EV_COPY, i)->f.n, 1);
	}
	CHECK_SAME(recorded_find(r, EV_COPY, 20)->f.n, 0);
}

int main(int count, char **arguments)
{
	long rounds = count > 1 ? atol(arguments[1]) : 8000;

	make_arena(&a);
	make_arena(&b);
	make_arena(&c);
	make_arena(&d);
	for (long i = 0; i < rounds && !check_failures; i++) {
		compare_reads();
		compare_comparisons();
		compare_copies();
		compare_moves();
		compare_appends();
	}
	CHECK_RAN(recorded_run(fits));
	CHECK(recorded_run(overflow_memcpy).status == SIGABRT);
	CHECK(recorded_run(overflow_strcpy).status == SIGABRT);
	CHECK(recorded_run(overflow_strcat).status == SIGABRT);

	struct recorded r = recorded_run(reads);
	CHECK_RAN(r);
	if (r.on)
		check_reads(&r);
	r = recorded_run(writes);
	CHECK_RAN(r);
	if (r.on)
		check_writes(&r);
	r = recorded_run(faults);
	CHECK_RAN(r);
	if (r.on)
		check_faults(&r);
	r = recorded_run(race);
	CHECK_RAN(r);
	if (r.on)
		check_race(&r);
	return check_result();
}
