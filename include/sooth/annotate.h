/*
 * What a program can tell sooth. Compiled without `sooth cc` all of it is nothing.
 *
 *	SOOTH_PROBE(app, authenticated, user, "password");
 *
 * is an event that properties can name: `probe app:authenticated(u, how)`. It costs a NOP until a
 * property asks for it. Arguments are passed as to printf: numbers, pointers, text; not evaluated
 * without sooth, so they should have no effects.
 *
 *	SOOTH_ATOMIC_BEGIN(transfer); … SOOTH_ATOMIC_END(transfer);
 *
 * are the probes sooth:atomic_begin and sooth:atomic_end with the region's name as a text. They are always
 * recorded: a region that another thread can tear apart is a finding without a property.
 *
 *	SOOTH_IGNORE static void spin(void) { … }
 *
 * Memory accesses and calls of this function are not recorded; its synchronisation is.
 */
#ifndef SOOTH_ANNOTATE_H
#define SOOTH_ANNOTATE_H

#pragma GCC system_header

#ifdef __SOOTH__

#ifdef __cplusplus
extern "C"
#endif
void __sooth_probe(const char *name, ...); /* the compiler plugin replaces its calls */

#define SOOTH_PROBE(app, name, ...) __sooth_probe(#app ":" #name, ##__VA_ARGS__)
#define SOOTH_IGNORE __attribute__((__no_sanitize__("thread")))

#else

#define SOOTH_PROBE(app, name, ...) ((void)0)
#define SOOTH_IGNORE

#endif

#define SOOTH_ATOMIC_BEGIN(region) SOOTH_PROBE(sooth, atomic_begin, #region)
#define SOOTH_ATOMIC_END(region) SOOTH_PROBE(sooth, atomic_end, #region)

#endif
