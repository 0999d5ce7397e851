/*
 * Valgrind's client requests: inline assembler that does nothing unless valgrind runs the program.
 * Programs use them to declare their own synchronisation (helgrind.h, drd.h). The plugins add a
 * call of the runtime before each, so that sooth learns of it as well
 * (runtime/annotate/valgrind_requests.c).
 */
#ifndef COMPILER_CLIENT_REQUEST_H
#define COMPILER_CLIENT_REQUEST_H

#include <string>

/* Returns whether the template of an asm is a client request. Its first input is the address of the
 * request and its arguments. */
bool client_request_is_in(const std::string &asm_template);

#endif
