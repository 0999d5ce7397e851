/*
 * Replaces each atomic built-in by a call of __sooth_<operation><size>. The name of the built-in
 * gives the family, the operation and the size. Statements around the call convert between the
 * types of the program and unsigned integers.
 */
#include "compiler/gcc/gcc.h"
#include "gimple-fold.h"

#include "compiler/gcc/access.h"
#include "compiler/gcc/atomics.h"

#include <map>
#include <string>
#include <vector>

/* numbered as in runtime/memory/atomic.c */
enum atomic_operation { ADD, SUB, AND, OR, XOR, NAND, OPERATIONS };
static const char *const operation_names[] = { "add", "sub", "and", "or", "xor", "nand" };

#define EXPECTED_IS_SHARED 256

/* ---- names of built-ins ---------------------------------------------------------------------- */

/* The parts of a name: "__atomic_fetch_add_4" consists of the family, "fetch_add" and 4. */
struct builtin {
	bool is_sync;
	std::string operation_name;
	int size;
};

static bool parse_builtin_name(tree function, builtin *b)
{
	if (!fndecl_built_in_p(function, BUILT_IN_NORMAL) || !DECL_NAME(function))
		return false;
	std::string name = IDENTIFIER_POINTER(DECL_NAME(function));
	if (name.compare(0, 9, "__atomic_") == 0)
		b->is_sync = false, name = name.substr(9);
	else if (name.compare(0, 7, "__sync_") == 0)
		b->is_sync = true, name = name.substr(7);
	else
		return false;
	size_t bar = name.rfind('_');
	b->size = 0;
	if (bar != std::string::npos && ISDIGIT(name[bar + 1])) {
		b->size = atoi(name.c_str() + bar + 1);
		name = name.substr(0, bar);
	}
	b->operation_name = name;
	return true;
}

/*
 * Parses "fetch_add", "add_fetch", "fetch_and_add" or "add_and_fetch". Stores the operation and
 * whether the call returns the new value.
 */
static bool parse_update(const builtin &b, atomic_operation *op, bool *wants_new)
{
	const std::string first = b.is_sync ? "fetch_and_" : "fetch_";
	const std::string last = b.is_sync ? "_and_fetch" : "_fetch";

	for (int i = 0; i < OPERATIONS; i++) {
		*op = (atomic_operation)i;
		*wants_new = b.operation_name == operation_names[i] + last;
		if (*wants_new || b.operation_name == first + operation_names[i])
			return true;
	}
	return false;
}

/* ---- calls of the runtime -------------------------------------------------------------------- */

static tree unsigned_type(int size)
{
	return build_nonstandard_integer_type((unsigned)size * BITS_PER_UNIT, 1);
}

class replacement
{
      public:
	replacement(gimple_stmt_iterator *gsi, gcall *call) : gsi(gsi), old(call)
	{
	}

	tree argument(unsigned i) const
	{
		return gimple_call_arg(old, i);
	}
	tree value(unsigned i, int size)
	{
		return as(unsigned_type(size), argument(i));
	}
	tree as(tree type, tree v)
	{
		return gimple_convert(&seq, where(), type, v);
	}
	tree build(tree_code code, tree type, tree a, tree b)
	{
		return gimple_build(&seq, where(), code, type, a, b);
	}
	tree order(unsigned i)
	{
		return as(integer_type_node, argument(i));
	}

	/* Adds a call __sooth_<operation_name><size>(arguments) and returns its value. */
	tree call(const char *operation_name, int size, tree type, std::vector<tree> arguments)
	{
		std::string name = std::string("__sooth_") + operation_name +
				   (size ? std::to_string(size) : "");
		auto_vec<tree> types, values;
		for (tree a : arguments) {
			types.safe_push(TREE_TYPE(a));
			values.safe_push(a);
		}
		static std::map<std::string, tree> functions;
		tree &function = functions[name];
		if (!function) {
			function = build_fn_decl(
				name.c_str(), build_function_type_array(type, (int)types.length(),
									types.address()));
			TREE_NOTHROW(function) = 1;
		}
		gcall *stmt = gimple_build_call_vec(function, values);
		gcc_copy_site(stmt, old);
		tree result = NULL_TREE;
		if (!VOID_TYPE_P(type)) {
			result = make_ssa_name(type);
			gimple_call_set_lhs(stmt, result);
		}
		gimple_seq_add_stmt(&seq, stmt);
		return result;
	}

	/*
	 * Inserts the new statements before the old call. The old call becomes an assignment of the
	 * result.
	 */
	void finish(tree result)
	{
		tree lhs = gimple_call_lhs(old);
		if (lhs && result)
			result = as(TREE_TYPE(lhs), result);
		gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
		unlink_stmt_vdef(old);
		if (lhs && result) {
			gassign *copy = gimple_build_assign(lhs, result);
			gsi_replace(gsi, copy, true);
		} else {
			release_defs(old);
			gsi_replace(gsi, gimple_build_nop(), true);
		}
	}

      private:
	gimple_stmt_iterator *gsi;
	gcall *old;
	gimple_seq seq = NULL;
	location_t where() const
	{
		return gimple_location(old);
	}
};

static tree integer_constant(int value)
{
	return build_int_cst(integer_type_node, value);
}

static bool lower_update(replacement &r, const builtin &b)
{
	atomic_operation op;
	bool wants_new;

	if (!parse_update(b, &op, &wants_new))
		return false;
	tree type = unsigned_type(b.size), operand = r.value(1, b.size);
	tree order = b.is_sync ? integer_constant(MEMMODEL_SEQ_CST) : r.order(2);
	tree old = r.call(
		"rmw", b.size, type,
		{ r.as(ptr_type_node, r.argument(0)), operand, integer_constant(op), order });
	static const tree_code codes[] = { PLUS_EXPR,	 MINUS_EXPR,   BIT_AND_EXPR,
					   BIT_IOR_EXPR, BIT_XOR_EXPR, BIT_AND_EXPR };
	if (wants_new) {
		old = r.build(codes[op], type, old, operand);
		if (op == NAND)
			old = r.build(BIT_XOR_EXPR, type, old, build_minus_one_cst(type));
	}
	r.finish(old);
	return true;
}

static tree expected_is_shared(tree expected)
{
	if (TREE_CODE(expected) == ADDR_EXPR)
		return integer_constant(
			access_is_shared(TREE_OPERAND(expected, 0)) ? EXPECTED_IS_SHARED : 0);
	tree target = build2(MEM_REF, char_type_node, expected, build_int_cst(ptr_type_node, 0));
	return integer_constant(access_is_shared(target) ? EXPECTED_IS_SHARED : 0);
}

static void lower_atomic(replacement &r, const builtin &b)
{
	tree type = b.size ? unsigned_type(b.size) : NULL_TREE;
	auto address = [&] { return r.as(ptr_type_node, r.argument(0)); };

	if (b.operation_name == "load" && b.size) {
		r.finish(r.call("load", b.size, type, { address(), r.order(1) }));
	} else if (b.operation_name == "store" && b.size) {
		r.call("store", b.size, void_type_node,
		       { address(), r.value(1, b.size), r.order(2) });
		r.finish(NULL_TREE);
	} else if (b.operation_name == "exchange" && b.size) {
		r.finish(r.call("swap", b.size, type,
				{ address(), r.value(1, b.size), r.order(2) }));
	} else if (b.operation_name == "compare_exchange" && b.size) {
		tree mode = r.build(BIT_IOR_EXPR, integer_type_node, r.order(4),
				    expected_is_shared(r.argument(1)));
		r.finish(r.call("cas", b.size, boolean_type_node,
				{ address(), r.as(ptr_type_node, r.argument(1)), r.value(2, b.size),
				  mode }));
	} else if (b.operation_name == "test_and_set") {
		tree one = build_one_cst(unsigned_type(1));
		tree old = r.call("swap", 1, unsigned_type(1), { address(), one, r.order(1) });
		r.finish(
			r.build(NE_EXPR, boolean_type_node, old, build_zero_cst(unsigned_type(1))));
	} else if (b.operation_name == "clear") {
		r.call("store", 1, void_type_node,
		       { address(), build_zero_cst(unsigned_type(1)), r.order(1) });
		r.finish(NULL_TREE);
	} else if (b.operation_name == "thread_fence") {
		r.call("fence", 0, void_type_node, { r.order(0) });
		r.finish(NULL_TREE);
	} else if (b.size) {
		lower_update(r, b);
	}
}

static void lower_sync(replacement &r, const builtin &b)
{
	tree type = b.size ? unsigned_type(b.size) : NULL_TREE;
	auto address = [&] { return r.as(ptr_type_node, r.argument(0)); };

	if (b.operation_name == "synchronize") {
		r.call("fence", 0, void_type_node, { integer_constant(MEMMODEL_SEQ_CST) });
		r.finish(NULL_TREE);
	} else if (b.operation_name == "lock_test_and_set" && b.size) {
		r.finish(r.call(
			"swap", b.size, type,
			{ address(), r.value(1, b.size), integer_constant(MEMMODEL_ACQUIRE) }));
	} else if (b.operation_name == "lock_release" && b.size) {
		r.call("store", b.size, void_type_node,
		       { address(), build_zero_cst(type), integer_constant(MEMMODEL_RELEASE) });
		r.finish(NULL_TREE);
	} else if ((b.operation_name == "val_compare_and_swap" ||
		    b.operation_name == "bool_compare_and_swap") &&
		   b.size) {
		tree expected = r.value(1, b.size);
		tree old = r.call("casval", b.size, type,
				  { address(), expected, r.value(2, b.size),
				    integer_constant(MEMMODEL_SEQ_CST) });
		if (b.operation_name[0] == 'b')
			old = r.build(EQ_EXPR, boolean_type_node, old, expected);
		r.finish(old);
	} else if (b.size) {
		lower_update(r, b);
	}
}

void atomics_lower(gimple_stmt_iterator *gsi, gcall *call)
{
	tree function = gimple_call_fndecl(call);
	builtin b;

	if (!function || !parse_builtin_name(function, &b) || b.size > 16)
		return;
	replacement r(gsi, call);
	if (b.is_sync)
		lower_sync(r, b);
	else
		lower_atomic(r, b);
}
