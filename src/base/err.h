/*
 * Error messages. Bad input and failing system calls are reported through a struct err; bugs in
 * sooth itself fail an assertion.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

struct err {
	char text[1024];
};

/* Sets the message and returns false, so that a function can end with `return err_set(…)`. */
bool err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, followed by ": " and strerror(errnum). */
bool err_set_system(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
