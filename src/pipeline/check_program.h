/*
 * `sooth check`: records a program and the processes it starts, predicts from each recording,
 * replays the predicted findings, and keeps the recording if there is a finding to replay.
 */
#ifndef PIPELINE_CHECK_PROGRAM_H
#define PIPELINE_CHECK_PROGRAM_H

#include "pipeline/hang_watch.h"
#include "pipeline/predict_trace.h"
#include "pipeline/record_program.h"

#include <time.h>

struct check_program {
	struct predict_trace predicting; /* holds the options and, after the run, the reports */
	struct record_program recording;
	double confirm_seconds; /* time limit for all replays; 0: no replays */
	/* private to check_program.c */
	char directory[PATH_MAX]; /* the directory that contains the traces */
	bool temporary;		  /* check_program_close() removes the directory */
	bool keep; /* the recording is not removed, so that findings can be replayed */
	time_t start;
	double run_seconds; /* time that the program took */
	struct hang_watch_result end;
	VEC(char *) traces; /* the program's trace, then those of other processes */
};

void check_program_init(struct check_program *c);

/*
 * Does everything; afterwards c->predicting has the reports. Returns false, after a message, if the
 * program could not be recorded. In both cases the caller must call check_program_close(), after it
 * has printed the reports: that call moves or removes the recordings.
 */
bool check_program_run(struct check_program *c);
void check_program_close(struct check_program *c);

#endif
