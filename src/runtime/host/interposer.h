/*
 * Defines interposers from tables. An interposer has the name and the type of a function of the C
 * library, and calls the library's function through real() (libc_next.h). Functions that are
 * recorded in the same way are rows of one table: a macro defines the body, and each row supplies a
 * function, its parameters and what differs.
 *
 * A row writes parameters as pairs of type and name, (int, fd, void *, to). From these pairs, the
 * following macros make the parameter list and the argument list:
 *
 *	PARAMETERS (int, fd, void *, to)	int fd, void *to	or void, if there are none
 *	ARGUMENTS (int, fd, void *, to)		fd, to
 *
 * `restrict` may be left out: as a qualifier of a parameter it is not part of a function's type.
 */
#ifndef RUNTIME_HOST_INTERPOSER_H
#define RUNTIME_HOST_INTERPOSER_H

#define INTERPOSER_SELECT(_0, a, A, b, B, c, C, d, D, e, E, f, F, g, G, selected, ...) selected
#define INTERPOSER_BY_PAIRS(P, ...)                                                                \
	INTERPOSER_SELECT(0, ##__VA_ARGS__, P##7, , P##6, , P##5, , P##4, , P##3, , P##2, , P##1,  \
			  , P##0, )

#define PARAMETERS(...) INTERPOSER_BY_PAIRS(PARAMETERS_, ##__VA_ARGS__)(__VA_ARGS__)
#define PARAMETERS_0() void
#define PARAMETERS_1(type, name) type name
#define PARAMETERS_2(type, name, ...) type name, PARAMETERS_1(__VA_ARGS__)
#define PARAMETERS_3(type, name, ...) type name, PARAMETERS_2(__VA_ARGS__)
#define PARAMETERS_4(type, name, ...) type name, PARAMETERS_3(__VA_ARGS__)
#define PARAMETERS_5(type, name, ...) type name, PARAMETERS_4(__VA_ARGS__)
#define PARAMETERS_6(type, name, ...) type name, PARAMETERS_5(__VA_ARGS__)
#define PARAMETERS_7(type, name, ...) type name, PARAMETERS_6(__VA_ARGS__)

#define ARGUMENTS(...) INTERPOSER_BY_PAIRS(ARGUMENTS_, ##__VA_ARGS__)(__VA_ARGS__)
#define ARGUMENTS_0()
#define ARGUMENTS_1(type, name) name
#define ARGUMENTS_2(type, name, ...) name, ARGUMENTS_1(__VA_ARGS__)
#define ARGUMENTS_3(type, name, ...) name, ARGUMENTS_2(__VA_ARGS__)
#define ARGUMENTS_4(type, name, ...) name, ARGUMENTS_3(__VA_ARGS__)
#define ARGUMENTS_5(type, name, ...) name, ARGUMENTS_4(__VA_ARGS__)
#define ARGUMENTS_6(type, name, ...) name, ARGUMENTS_5(__VA_ARGS__)
#define ARGUMENTS_7(type, name, ...) name, ARGUMENTS_6(__VA_ARGS__)

/*
 * The interposer `name` calls `function` with its own arguments and, as the last argument, the
 * address that the interposer was called from. Several interposers can share one `function` (for
 * example the POSIX function and its C11 equivalent).
 */
#define INTERPOSER(type, name, parameters, function)                                               \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		return function(ARGUMENTS parameters, RECORD_CALLER);                              \
	}

/* Declares and begins to define a function that no header declares. */
#define DEFINE(type, name, ...)                                                                    \
	SOOTH_API type name(__VA_ARGS__);                                                          \
	SOOTH_API type name(__VA_ARGS__)

/*
 * Two rows of the table `row`: one for `name`, and one for __NAME_chk, which the compiler calls if
 * it knows the size of the destination. That size is an additional last parameter.
 */
#define AND_CHECKED(row, name, parameters, ...)                                                    \
	row(name, parameters, __VA_ARGS__) row(                                                    \
		__##name##_chk, (INTERPOSER_LIST parameters, size_t, object_size), __VA_ARGS__)
#define INTERPOSER_LIST(...) __VA_ARGS__

/*
 * The interposer `name` takes variable arguments after `last`, its last named parameter. The
 * expression `call` can use them as the va_list `values`; its value is the result of the
 * interposer.
 */
#define INTERPOSER_VARIADIC(name, parameters, last, values, call)                                  \
	SOOTH_API int name(PARAMETERS parameters, ...)                                             \
	{                                                                                          \
		va_list values;                                                                    \
		va_start(values, last);                                                            \
		int result = call;                                                                 \
		va_end(values);                                                                    \
		return result;                                                                     \
	}

#endif
