/*
 * Annotations that a program can make for sooth. Without `sooth cc` they compile to nothing.
 *
 *	SOOTH_PROBE(app, authenticated, user, "password");
 *
 * records an event that properties can name: `probe app:authenticated(u, how)`. A probe costs a NOP
 * unless a property uses it. Its arguments have types as for printf: numbers, pointers, strings.
 * Without sooth they are not evaluated, so they should have no side effects.
 *
 *	SOOTH_ATOMIC_BEGIN(transfer); … SOOTH_ATOMIC_END(transfer);
 *
 * mark an atomic region by the probes sooth:atomic_begin and sooth:atomic_end, with the region's
 * name as a string. These probes are always recorded: if another thread can break the region, that
 * is reported without a property.
 *
 *	SOOTH_IGNORE static void spin(void) { … }
 *
 * The memory accesses and calls of this function are not recorded; its synchronisation is.
 */
#ifndef SOOTH_ANNOTATE_H
#define SOOTH_ANNOTATE_H

#pragma GCC system_header

#ifdef __SOOTH__

#ifdef __cplusplus
extern "C"
#endif
void __sooth_probe(const char *name, ...); /* the compiler plugin replaces each call */

#define SOOTH_PROBE(app, name, ...) __sooth_probe(#app ":" #name, ##__VA_ARGS__)
#define SOOTH_IGNORE __attribute__((__no_sanitize__("thread")))

#else

#define SOOTH_PROBE(app, name, ...) ((void)0)
#define SOOTH_IGNORE

#endif

#define SOOTH_ATOMIC_BEGIN(region) SOOTH_PROBE(sooth, atomic_begin, #region)
#define SOOTH_ATOMIC_END(region) SOOTH_PROBE(sooth, atomic_end, #region)

#endif
