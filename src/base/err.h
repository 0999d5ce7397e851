/* What went wrong, in words. Bad input and a failing system are told this way; our bugs assert. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

struct err {
	char text[1024];
};

/* Puts the message in and returns false, so that `return err_set(…)` reads well. */
bool err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of `errnum` behind it. */
bool err_set_system(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
