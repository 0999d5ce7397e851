/*
 * SIGTERM to `sooth check`, `sooth record` and the like. It does not end this process at once: the
 * program that runs is ended, what was recorded is reported, and temporary files are removed.
 */
#ifndef PIPELINE_END_REQUEST_H
#define PIPELINE_END_REQUEST_H

#include <stdbool.h>

/* Catches SIGTERM from now on, unless this process was started with SIGTERM ignored. */
void end_request_catch(void);

bool end_request_came(void);

#endif
