/*
 * Valgrind's client requests: inline assembly that does nothing unless Valgrind runs the program.
 * Programs use client requests to declare their own synchronisation (helgrind.h, drd.h). The
 * plugins add a call of the runtime before each request, so that sooth learns of it, too
 * (runtime/annotate/valgrind_requests.c).
 */
#ifndef COMPILER_CLIENT_REQUEST_H
#define COMPILER_CLIENT_REQUEST_H

#include <string>

/*
 * Is this the template of an asm statement that is a client request? The first input of such a
 * statement is the address of the request's number and arguments.
 */
bool client_request_is_in(const std::string &asm_template);

#endif
