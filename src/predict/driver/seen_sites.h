/* What is known from earlier windows. It does not change while a batch of windows is analysed. */
#ifndef PREDICT_DRIVER_SEEN_SITES_H
#define PREDICT_DRIVER_SEEN_SITES_H

#include "base/map.h"

#define SEEN_SITES_FOUND (1ull << 63)

struct calls;
struct regions;

struct seen_sites {
	/*
	 * by key: how many queries were in vain; SEEN_SITES_FOUND is set if the key has a finding
	 */
	struct map keys;
	const struct calls *calls; /* of the whole trace, for inferred regions; NULL: not wanted */
	const struct regions *regions; /* of the whole trace, for atomicity; NULL: none */
};

#endif
