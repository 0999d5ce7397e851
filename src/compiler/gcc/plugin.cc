/*
 * The gcc plugin. A single option, -fplugin=, switches everything on, so that no option of sooth
 * reaches the linker.
 */
#include "compiler/gcc/gcc.h"
#include "plugin-version.h"

#include "compiler/gcc/instrument.h"
#include "compiler/gcc/points.h"
#include "compiler/gcc/segment.h"
#include "compiler/gcc/strings.h"

int plugin_is_GPL_compatible;

static bool wants_statistics;

static void finish_unit(void *, void *)
{
	if (asm_out_file)
		strings_finish_unit(asm_out_file);
	if (wants_statistics) {
		const struct segment_counts &c = segment_counts;
		fprintf(stderr,
			"sooth: %lu segments, %lu reads, %lu writes, %lu copies, %lu without exact "
			"value; "
			"recorded %lu addresses, %lu values\n",
			c.segments, c.reads, c.writes, c.copies, c.inexact, c.addresses_kept,
			c.values_kept);
	}
}

static void replace_pass(const char *plugin, const char *name, bool optimised)
{
	struct register_pass_info info;

	info.pass = instrument_new_pass(g, optimised);
	info.reference_pass_name = name;
	info.ref_pass_instance_number = 0; /* all instances */
	info.pos_op = PASS_POS_REPLACE;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

static void insert_points(const char *plugin)
{
	struct register_pass_info info;

	info.pass = points_new_pass(g);
	info.reference_pass_name = "ssa";
	info.ref_pass_instance_number = 1;
	info.pos_op = PASS_POS_INSERT_AFTER;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

/* -fplugin-arg-sooth-points=all|some|none */
static void parse_points_option(const char *value)
{
	if (value && !strcmp(value, "all"))
		points_wanted = POINTS_ALL;
	else if (value && !strcmp(value, "none"))
		points_wanted = POINTS_NONE;
	else
		points_wanted = POINTS_SOME;
}

/*
 * Prevents the front end from turning a `printf` of a constant line into `puts`, before the
 * function body exists: a property that names printf would never match. gcc does this only if it
 * may introduce calls of puts. It may do so once the program declares puts and calls it. So this
 * permission is revoked before each function.
 */
static void forbid_puts_conversion(void *, void *)
{
	for (built_in_function f :
	     { BUILT_IN_PUTS, BUILT_IN_PUTCHAR, BUILT_IN_FPUTS, BUILT_IN_FPUTC, BUILT_IN_FWRITE,
	       BUILT_IN_PUTS_UNLOCKED, BUILT_IN_PUTCHAR_UNLOCKED, BUILT_IN_FPUTS_UNLOCKED,
	       BUILT_IN_FPUTC_UNLOCKED, BUILT_IN_FWRITE_UNLOCKED })
		if (builtin_decl_explicit(f)) {
			set_builtin_decl_implicit_p(f, false);
			set_builtin_decl_declared_p(f, false);
		}
}

/*
 * Optimisations that add reads or writes which the source does not make in the same execution. The
 * added accesses do no harm on the machine:
 *
 *  - `if (c) sum += x` in a loop reads x before the loop (and the destination of a store in it);
 *  - `c ? p->a : p->b` reads both;
 *  - `if (a) u = x; if (b) v = x` reads x where neither branch does;
 *  - a value that is read on both exits of a loop's test is read before the test, once too
 *    often (-Os);
 *  - `x = 1; if (c) x = 2` reads and writes x once more, whatever c is;
 *  - `!y && x == y` becomes (y | x) == 0.
 *
 * But races with those accesses would not be races of the program.
 */
static void forbid_added_accesses(void)
{
#define FORBID(flag) (global_options.x_##flag = 0, global_options_set.x_##flag = 1)
	FORBID(flag_tree_loop_im);
	FORBID(flag_hoist_adjacent_loads);
	FORBID(flag_tree_partial_pre);
	FORBID(flag_code_hoisting);
	FORBID(flag_tree_cselim);
	FORBID(flag_tree_reassoc);
#undef FORBID
}

/*
 * A function with its own optimisation level (__attribute__((optimize)), #pragma GCC optimize) has
 * its own set of flags: all those that are usual at that level.
 */
static void forbid_in_function(void *decl, void *)
{
	tree function = (tree)decl, own = DECL_FUNCTION_SPECIFIC_OPTIMIZATION(function);
	struct cl_optimization usual;

	if (!own)
		return;
	cl_optimization_save(&usual, &global_options, &global_options_set);
	cl_optimization_restore(&global_options, &global_options_set, TREE_OPTIMIZATION(own));
	forbid_added_accesses();
	DECL_FUNCTION_SPECIFIC_OPTIMIZATION(function) =
		build_optimization_node(&global_options, &global_options_set);
	cl_optimization_restore(&global_options, &global_options_set, &usual);
}

int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
	if (!plugin_default_version_check(version, &gcc_version)) {
		fprintf(stderr, "sooth: this plugin is for gcc %s, not %s\n", gcc_version.basever,
			version->basever);
		return 1;
	}
	for (int i = 0; i < info->argc; i++)
		if (!strcmp(info->argv[i].key, "statistics"))
			wants_statistics = true;
		else if (!strcmp(info->argv[i].key, "points"))
			parse_points_option(info->argv[i].value);

	/*
	 * With this flag the compiler behaves as under -fsanitize=thread: the macro is defined,
	 * functions end with a mark, atomics stay calls. Only the instrumenting pass is replaced.
	 */
	flag_sanitize |= SANITIZE_THREAD;
	global_options_set.x_flag_sanitize |= SANITIZE_THREAD;
	/*
	 * When a thread buffer is full, a segment calls the runtime, which pushes a return address
	 * onto the stack. The compiler does not know of that call and would use the red zone in
	 * leaf functions.
	 */
	target_flags |= MASK_NO_RED_ZONE;
	forbid_added_accesses();

	replace_pass(info->base_name, "tsan", true);
	replace_pass(info->base_name, "tsan0", false);
	insert_points(info->base_name);
	if (points_wanted != POINTS_NONE)
		register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, forbid_puts_conversion,
				  NULL);
	register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, forbid_in_function, NULL);
	register_callback(info->base_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	return 0;
}
