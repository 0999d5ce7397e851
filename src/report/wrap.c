/* Breaks lines at blanks. */
#include "report/wrap.h"

#include <string.h>

void wrap_print(FILE *out, int column, int indent, const char *text)
{
	for (char before = 0; *text; text += !!before) {
		int length = (int)strcspn(text, " \n");

		if (before == '\n' || (before && column + 1 + length > WRAP_WIDTH)) {
			fprintf(out, "\n%*s", length ? indent : 0, "");
			column = indent;
		} else if (before) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", length, text);
		column += length;
		text += length;
		before = *text;
	}
	fputc('\n', out);
}
