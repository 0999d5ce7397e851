/*
 * Writes the file `schedule` in the recording's directory: an array of struct control_slice, to
 * which a slice is appended at each switch. It is mapped, so that a SIGKILL loses nothing.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/log/file_io.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/save_vectors.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (1u << 16) /* bytes mapped at a time */
#define PIECE_RUNS (PIECE / sizeof(struct control_slice))

static struct {
	int fd; /* file descriptor + 1; 0: not open */
	struct control_slice *piece;
	uint32_t at;	 /* index of the next slice in the piece */
	uint64_t pieces; /* number of pieces before this one */
	char path[4096];
} schedule;

/*
 * Removes the file, because an incomplete schedule would be a wrong one. Also marks the schedule as
 * invalid, since removing the file may fail.
 */
void sched_log_abandon(void)
{
	static const struct control_slice none = { CONTROL_NONE, CONTROL_NONE };

	if (!schedule.fd)
		return;
	if (schedule.piece)
		schedule.piece[schedule.at < PIECE_RUNS ? schedule.at : PIECE_RUNS - 1] = none;
	else
		file_io_write(schedule.fd - 1, &none, sizeof(none));
	unlink(schedule.path);
	close(schedule.fd - 1);
	schedule.fd = 0;
}

/* Maps the next piece of the file. If that fails, the previous piece stays mapped. */
static void map_next_piece(void *unused)
{
	uint64_t number = schedule.piece ? schedule.pieces + 1 : 0;

	(void)unused;
	if (!file_io_allocate(schedule.fd - 1, number * PIECE, PIECE))
		return;
	void *map = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, schedule.fd - 1,
			 (off_t)(number * PIECE));
	if (map == MAP_FAILED)
		return;
	if (schedule.piece)
		munmap(schedule.piece, PIECE);
	schedule.piece = map;
	schedule.pieces = number;
	schedule.at = 0;
}

static void report_and_abandon(void *unused)
{
	(void)unused;
	process_say("the schedule cannot be written, and the recording has none: ", schedule.path);
	sched_log_abandon();
}

void sched_log_start(const char *dir)
{
	if (!dir || !dir[0])
		return;
	snprintf(schedule.path, sizeof(schedule.path), "%s/schedule", dir);
	int fd = open(schedule.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	int high = real()->fcntl(fd, F_DUPFD_CLOEXEC, 512);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	schedule.fd = fd + 1;
	map_next_piece(NULL);
	if (!schedule.piece)
		sched_log_abandon();
}

void sched_log_switch(const struct sched_thread *from)
{
	struct sched_thread *t = &sched_threads[sched_number(from)];

	if (!schedule.fd || t->steps_written == t->step)
		return;
	t->steps_written = t->step;
	if (schedule.at == PIECE_RUNS) {
		save_vectors_call(map_next_piece, NULL);
		if (schedule.at == PIECE_RUNS) {
			save_vectors_call(report_and_abandon, NULL);
			return;
		}
	}
	schedule.piece[schedule.at++] = (struct control_slice){ sched_number(t), t->step };
}

void sched_log_end(void)
{
	if (!schedule.fd)
		return;
	uint64_t bytes = schedule.pieces * PIECE + schedule.at * sizeof(struct control_slice);
	if (ftruncate(schedule.fd - 1, (off_t)bytes) != 0)
		return; /* the zeros at the end do no harm */
}
