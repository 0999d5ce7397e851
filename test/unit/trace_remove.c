/* Tests that only recordings are moved and removed, and that a failed move leaves them unchanged. */
#include "trace_make.h"

#include "trace/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path in the directory. The texts of the last four calls are valid. */
static const char *inside(const struct make_dir *dir, const char *name)
{
	static char paths[4][128];
	static unsigned last;
	char *path = paths[++last % 4];

	snprintf(path, sizeof paths[0], "%s/%s", dir->path, name);
	return path;
}

static void make_directory(const char *path, bool recording)
{
	char name[160];
	int fd;

	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(name, sizeof name, "%s/%s", path, recording ? "meta" : "other");
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	close(fd);
}

static void recordings_only(void **state)
{
	struct make_dir dir = make_dir();
	struct stat status;

	(void)state;
	make_directory(inside(&dir, "trace"), true);
	make_directory(inside(&dir, "letters"), false);
	assert_true(trace_move(inside(&dir, "trace"), inside(&dir, "moved")));
	assert_true(trace_exists(inside(&dir, "moved")));
	assert_false(trace_exists(inside(&dir, "trace")));
	assert_false(trace_move(inside(&dir, "letters"), inside(&dir, "gone")));
	assert_int_equal(errno, EEXIST);
	assert_false(trace_remove(inside(&dir, "letters")));
	assert_int_equal(stat(inside(&dir, "letters/other"), &status), 0);
	assert_false(trace_move(inside(&dir, "moved"), inside(&dir, "letters")));
	assert_true(trace_exists(inside(&dir, "moved")));
	assert_true(trace_remove(inside(&dir, "moved")));
	assert_int_equal(unlink(inside(&dir, "letters/other")), 0);
	assert_int_equal(rmdir(inside(&dir, "letters")), 0);
	make_remove(&dir);
}

/* Calls that fail, on a directory of another disk too, close what they opened. */
static void descriptors_are_closed(void **state)
{
	struct make_dir dir = make_dir();
	int before = dup(0), after;

	(void)state;
	close(before);
	make_directory(inside(&dir, "trace"), true);
	assert_false(trace_move(inside(&dir, "trace"), "/dev/shm/no/such/directory"));
	assert_false(trace_move(inside(&dir, "trace"), inside(&dir, "no/such")));
	assert_true(trace_remove(inside(&dir, "trace")));
	after = dup(0);
	close(after);
	assert_int_equal(after, before);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_only),
		cmocka_unit_test(descriptors_are_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
