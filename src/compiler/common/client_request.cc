/* Recognises Valgrind's client requests by their instructions. */
#include "compiler/common/client_request.h"

#include <cstring>

/*
 * On amd64, a request consists of these rotations of %rdi, which cancel out, and this exchange:
 *
 *	rolq $3, %rdi ; rolq $13, %rdi ; rolq $61, %rdi ; rolq $51, %rdi ; xchgq %rbx, %rbx
 *
 * %rax holds the address of the request's number and arguments. (Exchanges of other registers have
 * other meanings.) Blanks and line ends differ between versions of Valgrind, and escapes between
 * compilers, so they are removed before the comparison.
 */
bool client_request_is_in(const std::string &asm_template)
{
	std::string text;

	for (char c : asm_template)
		if (!strchr(" \t\n\v\f\r;%$\\", c))
			text += c;
	return text.find("rolq3,rdirolq13,rdirolq61,rdirolq51,rdi") != std::string::npos &&
	       text.find("xchgqrbx,rbx") != std::string::npos;
}
