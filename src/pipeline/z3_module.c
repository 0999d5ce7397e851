/*
 * Loads order_solve_z3() from the Z3 module for `--solver z3`. Because the module is loaded only
 * then, sooth can be built, installed and run without libz3, whose only purpose is to check our own
 * solver.
 */
#include "pipeline/z3_module.h"

#include "pipeline/install_paths.h"

#include <dlfcn.h>
#include <string.h>

order_external_solver *z3_module_load(void)
{
	static const char name[] = "/z3.so";
	char path[PATH_MAX + sizeof name];
	void *module;

	if (!install_paths_directory(path))
		return NULL;
	module = dlopen(strcat(path, name), RTLD_NOW | RTLD_LOCAL);
	return module ? (order_external_solver *)dlsym(module, "order_solve_z3") : NULL;
}
