/* Prints the reports of a command and chooses the exit status. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include "pipeline/predict_trace.h"

/* Prints the reports to standard output, as text or JSON. Returns the exit status. */
int report_output(struct predict_trace *p);

/* Sets a member of a JSON object to a number. */
void json_set_number(json_t *object, const char *key, uint64_t value);

/* Prints a JSON value to standard output, and frees it. */
void print_json_value(json_t *value);

#endif
