/*
 * Import: reads a text trace line by line (import_line.c) into the contents of the files `meta`,
 * `names` and `events.0`, and writes them to a directory if asked to.
 */
#include "trace/import.h"

#include "base/file.h"
#include "base/mem.h"
#include "trace/import_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool read_lines(struct importer *im, const struct file_view *view, struct err *err)
{
	const char *p = (const char *)view->data, *end = p + view->size;

	for (size_t number = 1; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t length = (size_t)((stop ? stop : end) - p);

		if (length && p[length - 1] == '\r')
			length--;
		im->line.number = number;
		im->line.whole = (struct parse_slice){ p, length };
		if (length && *p != '#' && !import_line(im, err))
			return false;
		p = stop ? stop + 1 : end;
	}
	return true;
}

/* ---- the importer's interface ---------------------------------------------------------------- */

/* Returns the contents of `meta`. Replaces control characters in the path, such as newlines. */
static char *format_meta(const char *path, bool has_points)
{
	char *meta, *source = mem_copy_text(path, strlen(path));

	for (char *p = source; *p; p++) {
		if (iscntrl((unsigned char)*p))
			*p = '?';
	}
	meta = mem_format("sooth-trace: %d\nsource: %s\nlog: thread\nend: text\n%s", WIRE_VERSION,
			  source, has_points ? "points: lines\n" : "");
	free(source);
	return meta;
}

bool import_text(const char *path, struct import_image *image, struct err *err)
{
	struct importer im = { .line.file = path, .next_address = IMPORT_FIRST_ADDRESS };
	struct import_image made = { 0 };
	struct file_view view;
	bool ok;

	if (!file_map(path, &view, err))
		return false;
	im.writer = trace_writer_open();
	ok = read_lines(&im, &view, err);
	made.events = trace_writer_finish(im.writer, &made.events_bytes);
	made.names = im.names;
	made.meta = format_meta(path, im.has_points);
	intern_free(&im.threads);
	intern_free(&im.objects);
	intern_free(&im.given);
	intern_free(&im.places);
	vec_free(&im.addresses);
	vec_free(&im.given_addresses);
	vec_free(&im.creators);
	free(im.word);
	file_unmap(&view);
	if (ok)
		*image = made;
	else
		import_free(&made);
	return ok;
}

static bool save_part(const char *dir, const char *name, const void *data, size_t size,
		      struct err *err)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return err_set(err, "%s: the name is too long", dir);
	return file_write(path, data, size, err);
}

bool import_save(const struct import_image *image, const char *path, struct err *err)
{
	char *names = NULL;
	size_t size = 0;
	FILE *out;
	bool ok;

	if (mkdir(path, 0777) < 0)
		return err_set_system(err, errno, "%s", path);
	out = mem_stream(&names, &size);
	names_print(&image->names, out);
	mem_stream_close(out);
	ok = save_part(path, "names", names, size, err) &&
	     save_part(path, "events.0", image->events, image->events_bytes, err) &&
	     save_part(path, "meta", image->meta, strlen(image->meta), err);
	free(names);
	return ok;
}

void import_free(struct import_image *image)
{
	free(image->meta);
	free(image->events);
	names_free(&image->names);
	*image = (struct import_image){ 0 };
}
