/* Messages in the order of the file. */
#ifndef SPEC_MESSAGE_H
#define SPEC_MESSAGE_H

#include "spec/spec.h"

/* Sorts those from number `from` on: the parser and the checks after it each go through all of it. */
void message_sort(struct spec_messages *messages, size_t from);

/* Are there so many already that another would not be kept? */
bool message_is_full(const struct spec_messages *messages, enum spec_severity severity);

#endif
