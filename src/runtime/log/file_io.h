/*
 * Input and output for the runtime's own files. Calls that a signal interrupts are repeated; if a
 * call is interrupted again and again, it fails. Where cancellation matters, the caller must have
 * disabled it.
 */
#ifndef RUNTIME_LOG_FILE_IO_H
#define RUNTIME_LOG_FILE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;

/*
 * Like open(), with permissions 0666 less the umask for a new file. Returns -1 and sets errno if it
 * fails.
 */
int file_io_open(const char *path, int flags);

/*
 * Writes all bytes at the end of the file. Returns false and sets errno if it fails; in that case,
 * a part may have been written.
 */
bool file_io_write(int fd, const void *bytes, size_t size);
bool file_io_write_parts(int fd, struct iovec *parts, int count); /* changes `parts` */

/* Allocates disk blocks: storing to a hole of a mapped file on a full disk would raise SIGBUS. */
bool file_io_allocate(int fd, uint64_t at, uint64_t bytes);

/* Like read(), for the files of /proc. Returns the number of bytes read, 0 at the end, or -1. */
long file_io_read(int fd, void *to, size_t size);

/*
 * A file that stays open, with a descriptor far above the numbers that a program normally gets. It
 * is opened before the program runs, so it does not take a number that the program would get, and
 * it remains usable when the program changes its root directory or user. But a program may close
 * all descriptors that it does not know, and then use the number for a file of its own. So each use
 * checks that the descriptor still refers to the same file, and reopens the file if it does not.
 * (This costs 0.3 µs; opening the file for each use cost 2 µs.)
 */
struct file_io_file {
	_Atomic int fd; /* 0: not open */
	uint64_t device, inode;
};

/*
 * Returns the file's descriptor, or -1. If the descriptor cannot be moved to a high number, it is
 * not kept, because the program could then not get the low number; file_io_done() closes it.
 */
int file_io_use(struct file_io_file *file, const char *path, int flags);
void file_io_done(struct file_io_file *file, int fd);

/*
 * To be called in the child of a fork, because the file belongs to the parent: closes the child's
 * copy of the descriptor.
 */
void file_io_forget(struct file_io_file *file);

#endif
