/*
 * Tables of options (options.h) that several commands share. The comment after a table names the
 * struct whose fields its options set.
 */
#ifndef CLI_OPTION_GROUPS_H
#define CLI_OPTION_GROUPS_H

#include "cli/options.h"

extern const struct cli_option property_options[];   /* struct property_files */
extern const struct cli_option prediction_options[]; /* struct predict_trace */
extern const struct cli_option lattice_options[];    /* struct observe_trace */
extern const struct cli_option recording_options[];  /* struct record_program */
extern const struct cli_option strict_options[];     /* bool */
extern const struct cli_option json_options[];	     /* bool */

/* Sets a field `const char *` to the text of a value that must be a number. */
option_setter option_set_number_text;

#define STATUS_NOTES                                                                               \
	"Exit status: 0 nothing found, 1 findings, 2 bad use or bad input, 4 a bug in sooth."
#define TRACE_NOTES "TRACE is a directory NAME.sooth or a text trace (.std)."

#endif
