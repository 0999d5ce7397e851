/* Keeps the messages about a file in the order of the file. */
#ifndef SPEC_MESSAGE_H
#define SPEC_MESSAGE_H

#include "spec/spec.h"

/*
 * Sorts the messages from index `from` on by location. Parser and checks each pass over the whole
 * file, so their messages arrive out of order.
 */
void message_sort(struct spec_messages *messages, size_t from);

/* Is the limit of messages of this severity reached, so that another one would be dropped? */
bool message_is_full(const struct spec_messages *messages, enum spec_severity severity);

#endif
