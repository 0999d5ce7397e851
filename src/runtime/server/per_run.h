/*
 * PER_RUN marks a variable of the runtime that every run writes. Persistent runs restore each page
 * that a run writes, at 100 ns a page (snapshot.c). So the linker places these variables next to
 * each other, wherever they are defined, before the scheduler's state (per_run.ld). Use PER_RUN
 * only for small variables without an initial value: a large table needs a page of its own for its
 * first entries anyway.
 */
#ifndef RUNTIME_SERVER_PER_RUN_H
#define RUNTIME_SERVER_PER_RUN_H

#define PER_RUN __attribute__((section(".bss.per_run")))
/* Marks the scheduler's state itself, of which each run writes the beginning. */
#define PER_RUN_LAST __attribute__((section(".bss.per_run_last")))

#endif
