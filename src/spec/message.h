/* Keeps the messages about a file in the order of the file. */
#ifndef SPEC_MESSAGE_H
#define SPEC_MESSAGE_H

#include "spec/spec.h"

/*
 * Sorts the messages from index `from` on by location. The parser and each check go through the
 * whole file, so their messages are not in the order of the file.
 */
void message_sort(struct spec_messages *messages, size_t from);

/*
 * Has the number of messages of this severity reached its limit, so that another message would be
 * dropped?
 */
bool message_is_full(const struct spec_messages *messages, enum spec_severity severity);

#endif
