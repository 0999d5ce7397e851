/* Decides about builtins by a part of their names. */
#include "compiler/common/builtin_order.h"

namespace
{

struct builtin_row {
	const char *part;
	bool orders;
	const char *reason;
};

/* For builtins that are not listed, it depends on their pointers. */
const builtin_row table[] = {
	{ "clflush", false, "changes no memory, only caches" },
	{ "clwb", false, "the same" },
	{ "cldemote", false, "the same" },
	{ "prefetch", false, "the same" },
	{ "ldmxcsr", false, "the mode of floating-point arithmetic, saved for this thread" },
	{ "stmxcsr", false, "the same" },
	{ "fnstenv", false, "the same" },
	{ "fldenv", false, "the same" },
	{ "xbegin", true, "transactions order threads" },
	{ "xend", true, "the same" },
	{ "mwait", true, "waits for a store of another thread" },
	{ "monitor", true, "the same" },
};

} // namespace

bool builtin_order_is_possible(const std::string &name, bool has_shared_pointer)
{
	for (const builtin_row &r : table)
		if (name.find(r.part) != std::string::npos)
			return r.orders;
	return has_shared_pointer;
}
