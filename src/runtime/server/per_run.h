/*
 * Persistent runs restore each page that a run writes, at 100 ns a page (snapshot.c). So variables
 * of the runtime that every run writes are placed next to each other, wherever they are defined:
 * the linker puts them before the scheduler's state (per_run.ld). Use it only for small variables
 * without an initial value: a large table needs a page of its own for its first entries anyway.
 */
#ifndef RUNTIME_SERVER_PER_RUN_H
#define RUNTIME_SERVER_PER_RUN_H

#define PER_RUN __attribute__((section(".bss.per_run")))
/* The scheduler's state itself. Runs write its beginning. */
#define PER_RUN_LAST __attribute__((section(".bss.per_run_last")))

#endif
