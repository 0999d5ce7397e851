/*
 * The moments of a word in a schedule that was played: the position of each moment, and whether a
 * moment was left out.
 */
#ifndef CHECK_MOMENTS_H
#define CHECK_MOMENTS_H

#include "base/map.h"
#include "check/formula.h"
#include "check/play.h"

struct checker_moments {
	const struct checker_play *play;
	const struct checker_moment *list;
	size_t count;
	double *positions; /* by moment: its position; the events of the schedule are at 1, 2, … */
	struct map played; /* key of an event to its position */
	struct map given;  /* event key to bits: 0 it is a moment, 1 the moment before it is */
};

/*
 * Finds the positions. Returns false if the moments do not come in the given order. The result must
 * be closed in any case.
 */
bool checker_moments_open(struct checker_moments *moments, const struct checker_play *play,
			  const struct checker_moment *list, size_t count, struct err *err);
void checker_moments_close(struct checker_moments *moments);

uint64_t checker_moments_key(uint32_t stream, uint64_t index);
uint64_t checker_moments_record_key(const struct checker_moments *moments,
				    const struct checker_record *record);
bool checker_moments_has(const struct checker_moments *moments, uint64_t key, bool before);
/* Does the occurrence happen in the schedule although it is not one of the moments? */
bool checker_moments_left_out(const struct checker_moments *moments,
			      const struct checker_occurrence *occurrence);

/* Sets an error that consists of the event's name and `why`, and returns false. */
bool checker_moments_refuse(const struct checker_moments *moments, const struct event_id *event,
			    const char *why, struct err *err);

#endif
