/*
 * Z3 as an oracle: an independent solver that answers the same queries. Tests and benches compare
 * the native solver with it, and `--solver z3` uses it instead of the native solver.
 *
 * The product does not depend on libz3. This folder becomes the module lib/sooth/z3.so, which
 * pipeline/z3_module.c loads; tests and benches link its objects directly.
 */
#ifndef ORDER_Z3_Z3_H
#define ORDER_Z3_Z3_H

#include "order/solver/solve.h"

order_external_solver order_solve_z3;

#endif
