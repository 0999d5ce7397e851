/* Records changes of kernel objects, and looks at them. */
#include "runtime/io/kernel_state.h"

#include "runtime/host/safe_read.h"
#include "runtime/sync/sync_object.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* Names begin here: above all memory, and apart from the "addresses" of descriptors (EVENT_FD). */
#define NAMES (UINT64_C(1) << 61)
#define NAME_STEP 8u

uint64_t kernel_state_new_name(void)
{
	static _Atomic uint64_t last;

	return NAMES + (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1) * NAME_STEP;
}

static void record_state(enum event_kind kind, uint64_t name, uintptr_t pc)
{
	int error = errno;

	if (record_on())
		sync_object_record_next(kind, pc, (const void *)(uintptr_t)name,
					EVENT_CHANNEL_TOLD);
	errno = error;
}

void kernel_state_change(uint64_t name, uintptr_t pc)
{
	record_state(EV_SEND, name, pc);
}

void kernel_state_look(uint64_t name, uintptr_t pc)
{
	record_state(EV_RECEIVE, name, pc);
}

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * What is known of the files and names with the same remainder: which one this process has changed
 * (its hash, or SEVERAL), how often, and which stream looked last, after how many changes. Both
 * counts wrap.
 */
#define SEVERAL UINT64_MAX
#define FILES 1024u
static struct {
	_Atomic uint64_t which;
	_Atomic uint32_t changes;
	_Atomic uint64_t last_look;
} files[FILES];
static _Atomic bool any_changed;

/* Names of files are apart from those of kernel_state_new_name(). */
#define FILE_NAMES (NAMES + NAMES / 2)

/* Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void record_change(uint64_t hash, uintptr_t pc)
{
	uint64_t none = 0;

	if (!atomic_compare_exchange_strong(&files[hash % FILES].which, &none, hash) &&
	    none != hash)
		atomic_store(&files[hash % FILES].which, SEVERAL);
	atomic_store_explicit(&any_changed, true, memory_order_relaxed);
	kernel_state_change(FILE_NAMES + hash % (NAMES / 4), pc);
	/*
	 * Counted after SEND has its number: a look that finds this count is numbered later. (The
	 * look after that may record nothing, because it finds the same count.)
	 */
	atomic_fetch_add(&files[hash % FILES].changes, 1);
}

static void record_look(uint64_t hash, uintptr_t pc)
{
	uint32_t changes = atomic_load(&files[hash % FILES].changes);
	uint64_t which = atomic_load(&files[hash % FILES].which);
	uint64_t look = (uint64_t)thread_buffer_self.stream << 32 | changes;

	if (!changes || (which != hash && which != SEVERAL))
		return;
	if (atomic_exchange(&files[hash % FILES].last_look, look) == look)
		return;
	kernel_state_look(FILE_NAMES + hash % (NAMES / 4), pc);
}

static bool hash_file(int fd, uint64_t *hash)
{
	struct stat st;
	int error = errno;
	bool regular = record_on() && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = error;
	if (regular)
		*hash = mix(mix(st.st_dev) + st.st_ino);
	return regular;
}

void kernel_state_file_changes(int fd, uintptr_t pc)
{
	uint64_t hash;

	if (hash_file(fd, &hash))
		record_change(hash, pc);
}

void kernel_state_file_seen(int fd, uintptr_t pc)
{
	uint64_t hash;

	if (atomic_load_explicit(&any_changed, memory_order_relaxed) && hash_file(fd, &hash))
		record_look(hash, pc);
}

void kernel_state_inode_seen(uint64_t device, uint64_t inode, uintptr_t pc)
{
	if (record_on())
		record_look(mix(mix(device) + inode), pc);
}

#define PAGE 4096u

/* Hashes the last component of a path, which may be at an invalid address. */
static bool hash_name(const char *path, uint64_t *hash)
{
	uint64_t h = 0;
	char c = 1, before = 0;

	for (size_t i = 0; i < PATH_MAX && c; i++, before = c) {
		if ((!i || !((uintptr_t)(path + i) % PAGE)) && !safe_read_can_read(path + i, 1))
			return false;
		c = path[i];
		if (c && c != '/')
			h = mix((before == '/' ? 0 : h) + (unsigned char)c + 1);
	}
	*hash = h;
	return true;
}

void kernel_state_name_changes(const char *path, uintptr_t pc)
{
	uint64_t hash;

	if (record_on() && hash_name(path, &hash))
		record_change(hash, pc);
}

void kernel_state_name_seen(const char *path, uintptr_t pc)
{
	uint64_t hash;

	if (atomic_load_explicit(&any_changed, memory_order_relaxed) && record_on() &&
	    hash_name(path, &hash))
		record_look(hash, pc);
}
