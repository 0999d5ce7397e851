/* The exit statuses that all subcommands share, except cc, c++ and record. */
#ifndef PIPELINE_STATUS_H
#define PIPELINE_STATUS_H

enum status {
	STATUS_OK = 0, /* nothing found */
	STATUS_FINDINGS = 1,
	STATUS_BAD_USE = 2,   /* bad options or bad input */
	STATUS_DIVERGED = 3,  /* a replay did not follow its schedule */
	STATUS_OUR_FAULT = 4, /* a witness that the checker rejects, or another bug of sooth */
};

#endif
