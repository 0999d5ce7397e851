/*
 * Saves and restores descriptors, signal handlers and masks, the working directory and mappings.
 * Nearly all runs leave them as they were, so each is checked as cheaply as possible.
 */
#include "runtime/server/resources.h"

#include "runtime/host/libc_next.h"
#include "runtime/server/snapshot.h"

#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define FILES_MOST 64 /* descriptors that are open when main begins */
#define NEAR_FILES                                                                                 \
	8 /* further descriptors, which a run may have opened: they are checked after each run */
#define MAPPINGS_MOST 1024u
#define CHECK_ALL_EVERY 256u /* number of runs after which all descriptors are checked */

/* The kernel's struct sigaction, for system calls that bypass the C library. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* Not restored between runs. */
struct resources {
	int first_free;		  /* all descriptors below it are open when main begins */
	int saved[FILES_MOST];	  /* copies of these descriptors */
	off_t offset[FILES_MOST]; /* read positions of these descriptors; -1: cannot be restored */
	unsigned runs;
	unsigned modules;
	unsigned long mask;
	bool handlers_changed, directory_changed;
	int directory;
	struct kernel_action actions[NSIG];
	unsigned mapping_count;
	struct {
		void *address;
		size_t size;
	} mappings[MAPPINGS_MOST];
};
static struct resources *resources;

/* ---- descriptors ----------------------------------------------------------------------------- */

static off_t offset_of(int fd)
{
	struct stat st;
	int mode = real()->fcntl(fd, F_GETFL);

	if (mode < 0 || (mode & O_ACCMODE) == O_WRONLY || fstat(fd, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return -1;
	return lseek(fd, 0, SEEK_CUR);
}

static bool save_files(void)
{
	int fd = 0;

	for (; real()->fcntl(fd, F_GETFD) >= 0; fd++) {
		if (fd == FILES_MOST)
			return false;
		resources->saved[fd] = real()->fcntl(fd, F_DUPFD_CLOEXEC, SNAPSHOT_FD);
		resources->offset[fd] = offset_of(fd);
		if (resources->saved[fd] < 0)
			return false;
	}
	resources->first_free = fd;
	return true;
}

/*
 * Are the same descriptors open as before main, and the next ones closed? One system call of 300 ns
 * answers this for all of them. The alternative takes three calls, 1.2 µs: closing all descriptors
 * that a run may have opened, and looking for the lowest free one.
 */
static bool are_files_unchanged(void)
{
	struct pollfd files[FILES_MOST + NEAR_FILES];
	int count = resources->first_free + NEAR_FILES;

	for (int fd = 0; fd < count; fd++)
		files[fd] = (struct pollfd){ .fd = fd };
	if (syscall(SYS_poll, files, count, 0) < 0)
		return false;
	for (int fd = 0; fd < count; fd++) {
		bool open = !(files[fd].revents & POLLNVAL);
		if (open != (fd < resources->first_free))
			return false;
	}
	return true;
}

static void restore_files(void)
{
	bool check_all = ++resources->runs % CHECK_ALL_EVERY == 0;

	if (check_all || !are_files_unchanged()) {
		syscall(SYS_close_range, resources->first_free, SNAPSHOT_FD - 1, 0);
		for (int fd = 0; fd < resources->first_free; fd++)
			dup2(resources->saved[fd], fd);
	}
	for (int fd = 0; fd < resources->first_free; fd++) {
		if (resources->offset[fd] >= 0)
			lseek(fd, resources->offset[fd], SEEK_SET);
	}
}

/* ---- signals --------------------------------------------------------------------------------- */

static void save_signals(void)
{
	for (int i = 1; i < NSIG; i++)
		syscall(SYS_rt_sigaction, i, NULL, &resources->actions[i], sizeof(unsigned long));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &resources->mask, sizeof(unsigned long));
}

static void restore_signals(void)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &resources->mask, NULL, sizeof(unsigned long));
	if (!resources->handlers_changed)
		return;
	resources->handlers_changed = false;
	for (int i = 1; i < NSIG; i++)
		syscall(SYS_rt_sigaction, i, &resources->actions[i], NULL, sizeof(unsigned long));
}

void resources_handlers_changed(void)
{
	if (resources)
		resources->handlers_changed = true;
}

/* ---- the working directory, mappings --------------------------------------------------------- */

void resources_directory_changed(void)
{
	if (resources)
		resources->directory_changed = true;
}

bool resources_add_mapping(void *address, size_t size)
{
	if (resources->mapping_count == MAPPINGS_MOST)
		return false;
	resources->mappings[resources->mapping_count].address = address;
	resources->mappings[resources->mapping_count++].size = size;
	return true;
}

bool resources_owns_mapping(const void *address)
{
	for (unsigned i = 0; i < resources->mapping_count; i++) {
		uintptr_t start = (uintptr_t)resources->mappings[i].address;
		if ((uintptr_t)address - start < resources->mappings[i].size)
			return true;
	}
	return false;
}

void resources_restore_mappings(void)
{
	for (unsigned i = 0; i < resources->mapping_count; i++)
		munmap(resources->mappings[i].address, resources->mappings[i].size);
	resources->mapping_count = 0;
}

/* ---- all resources --------------------------------------------------------------------------- */

static unsigned count_modules(void)
{
	unsigned count = 0;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		count++;
	return count;
}

bool resources_save(bool memory_only, const char **why)
{
	struct resources *lasting = snapshot_lasting(sizeof(*lasting));

	*why = "no memory for a snapshot";
	if (!lasting)
		return false;
	resources = lasting;
	resources->modules = count_modules();
	if (memory_only)
		return true;
	*why = "too many files are open before main";
	if (!save_files())
		return false;
	save_signals();
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	resources->directory = real()->fcntl(here, F_DUPFD_CLOEXEC, SNAPSHOT_FD);
	close(here);
	return true;
}

bool resources_can_restore(const char **why)
{
	*why = "a library is loaded while it runs";
	return count_modules() == resources->modules;
}

void resources_restore(void)
{
	if (resources->directory_changed)
		syscall(SYS_fchdir, resources->directory);
	resources->directory_changed = false;
	resources_restore_mappings();
	restore_files();
	restore_signals();
}
