/* Adds the call of the runtime before a client request. */
#include "compiler/gcc/gcc.h"
#include "gimple-fold.h"

#include "compiler/common/client_request.h"
#include "compiler/gcc/requests.h"

void requests_announce(gimple_stmt_iterator *gsi, gasm *stmt)
{
	static tree function;

	if (!client_request_is_in(gimple_asm_string(stmt)) || gimple_asm_ninputs(stmt) == 0)
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
	gcc_copy_site(call, stmt);
	gimple_seq_add_stmt(&seq, call);
	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
}
