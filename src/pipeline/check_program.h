/*
 * `sooth check`: records a program and the processes it starts, predicts from each recording,
 * replays the predictions, and keeps the recording if there is something to replay.
 */
#ifndef PIPELINE_CHECK_PROGRAM_H
#define PIPELINE_CHECK_PROGRAM_H

#include "pipeline/hang_watch.h"
#include "pipeline/predict_trace.h"
#include "pipeline/record_program.h"

#include <time.h>

struct check_program {
	struct predict_trace predicting; /* the options, and afterwards the reports */
	struct record_program recording;
	double confirm_seconds; /* time for replays; 0: none */
	/* private to check_program.c */
	char directory[PATH_MAX]; /* of the traces */
	bool temporary;		  /* the directory is removed in the end */
	bool keep;		  /* the recording stays, for replays */
	time_t start;
	double run_seconds; /* how long the program ran */
	struct hang_watch_result end;
	VEC(char *) traces; /* first the program's, then those of other processes */
};

void check_program_init(struct check_program *c);

/*
 * Does all of it; then c->predicting has the reports. Returns false, after a message, if the
 * program could not be recorded. The caller prints the reports and calls check_program_close(), in
 * either case: it moves or removes the recordings.
 */
bool check_program_run(struct check_program *c);
void check_program_close(struct check_program *c);

#endif
