/*
 * Persistent runs restore each page that a run writes, at 100 ns a page (snapshot.c). Variables of the
 * runtime that are written in every run are therefore neighbours, wherever they are defined: the
 * linker puts them in front of the scheduler's state (per_run.ld). Small ones alone, and without an
 * initial value: a large table takes a page of its own for its first entries wherever it lies.
 */
#ifndef RUNTIME_SERVER_PER_RUN_H
#define RUNTIME_SERVER_PER_RUN_H

#define PER_RUN __attribute__((section(".bss.per_run")))
/* The scheduler's state itself, of which the front is written. */
#define PER_RUN_LAST __attribute__((section(".bss.per_run_last")))

#endif
