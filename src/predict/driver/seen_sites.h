/* What earlier windows tell later ones. Does not change while analyses run. */
#ifndef PREDICT_DRIVER_SEEN_SITES_H
#define PREDICT_DRIVER_SEEN_SITES_H

#include "base/map.h"

#define SEEN_SITES_FOUND (1ull << 63)

struct calls;
struct regions;

struct analysis_known {
	struct map keys;	   /* how often asked in vain; SEEN_SITES_FOUND: has a finding */
	const struct calls *calls; /* of the whole trace, for inferred regions; NULL: not wanted */
	const struct regions *regions; /* of the whole trace, for atomicity; NULL: none */
};

#endif
