/* Recognises Valgrind's client requests by their instructions. */
#include "compiler/gcc/gcc.h"
#include "gimple-fold.h"

#include "compiler/gcc/requests.h"

#include <string>

/*
 * On amd64, a request is these rotations of %rdi, which cancel out, and this exchange:
 *
 *	rolq $3, %rdi ; rolq $13, %rdi ; rolq $61, %rdi ; rolq $51, %rdi ; xchgq %rbx, %rbx
 *
 * The address of the request and its arguments is in %rax, the first input. (Other exchanges have
 * other meanings.) Blanks and line ends differ between versions.
 */
static bool is_request(gasm *stmt)
{
	std::string text;

	for (const char *p = gimple_asm_string(stmt); *p; p++)
		if (!ISSPACE(*p) && *p != ';' && *p != '%' && *p != '\\')
			text += *p;
	return text.find("rolq$3,rdirolq$13,rdirolq$61,rdirolq$51,rdi") != std::string::npos &&
	       text.find("xchgqrbx,rbx") != std::string::npos && gimple_asm_ninputs(stmt) > 0;
}

void requests_announce(gimple_stmt_iterator *gsi, gasm *stmt)
{
	static tree function;

	if (!is_request(stmt))
		return;
	tree operand = TREE_VALUE(gimple_asm_input_op(stmt, 0));
	if (!POINTER_TYPE_P(TREE_TYPE(operand)) || !is_gimple_val(operand))
		return;
	if (!function)
		function = build_fn_decl(
			"__sooth_client_request",
			build_function_type_list(void_type_node, ptr_type_node, NULL_TREE));
	gimple_seq seq = NULL;
	tree arguments = gimple_convert(&seq, gimple_location(stmt), ptr_type_node, operand);
	gcall *call = gimple_build_call(function, 1, arguments);
	gimple_set_location(call, gimple_location(stmt));
	gimple_set_block(call, gimple_block(stmt));
	gimple_seq_add_stmt(&seq, call);
	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
}
