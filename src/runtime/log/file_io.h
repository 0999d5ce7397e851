/*
 * Files of the runtime itself. Interrupted calls are repeated; if a file system is interrupted
 * again and again, the call fails. The caller has disabled cancellation where that matters.
 */
#ifndef RUNTIME_LOG_FILE_IO_H
#define RUNTIME_LOG_FILE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;

/* Like open(); the umask applies to new files. Returns -1 and sets errno if it fails. */
int file_io_open(const char *path, int flags);

/*
 * Writes all bytes at the end of the file. Returns false and sets errno if it fails; a part may
 * have been written.
 */
bool file_io_write(int fd, const void *bytes, size_t size);
bool file_io_write_parts(int fd, struct iovec *parts, int count); /* modifies the parts */

/* Allocates disk blocks: storing to a hole of a mapped file on a full disk would raise SIGBUS. */
bool file_io_allocate(int fd, uint64_t at, uint64_t bytes);

/* Like read(), for the files of /proc: some bytes, 0 at the end, or -1. */
long file_io_read(int fd, void *to, size_t size);

/*
 * A file that stays open, with a descriptor far above those that a program normally gets. It is
 * opened before the program runs, so it never takes a number from the program, and remains usable
 * when the program changes its root directory or user. But a program may close all descriptors that
 * it does not know, and then use the number for a file of its own. So each use checks that the
 * descriptor still refers to the same file, and opens it again if not. (0.3 µs; opening it for each
 * use cost 2 µs.)
 */
struct file_io_file {
	_Atomic int fd; /* 0: not open */
	uint64_t device, inode;
};

/*
 * Returns the descriptor, or -1. A descriptor that cannot be moved to a high number is not kept,
 * because the program would find its number taken; file_io_done() then closes it.
 */
int file_io_use(struct file_io_file *file, const char *path, int flags);
void file_io_done(struct file_io_file *file, int fd);

/* In the child of a fork: the file belongs to the parent. */
void file_io_forget(struct file_io_file *file);

#endif
