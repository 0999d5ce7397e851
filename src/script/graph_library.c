/*
 * Graphs: tables { edges = { [from] = { [to] = true } } } with methods. Because a graph is an
 * ordinary table, copies and keys (values.c) include its content. Empty tables are removed, so that
 * graphs with the same edges are equal. Nodes are numbers, strings, true and false. A search first
 * converts the graph to arrays.
 */
#include "script/script_internal.h"
#include "base/mem.h"
#include "base/sort.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>

/* ---- edges ----------------------------------------------------------------------------------- */

int script_new_graph(lua_State *lua)
{
	lua_newtable(lua);
	script_set_kind(lua, SCRIPT_GRAPH);
	return 1;
}

/*
 * Pushes the edges table of the graph in argument 1 and returns its stack index. Pushes nothing and
 * returns 0 if the graph has no edges.
 */
static int push_edges(lua_State *lua)
{
	luaL_checktype(lua, 1, LUA_TTABLE);
	if (script_kind_of(lua, 1) != SCRIPT_GRAPH)
		luaL_error(lua, "not a graph: call methods as in g:edge(a, b)");
	lua_pushliteral(lua, "edges");
	if (lua_rawget(lua, 1) == LUA_TTABLE)
		return lua_gettop(lua);
	if (!lua_isnil(lua, -1))
		luaL_error(lua,
			   "the 'edges' table of the graph was changed: use g:edge and g:remove");
	lua_pop(lua, 1);
	return 0;
}

static void check_node(lua_State *lua, int index)
{
	struct script_scalar node;

	if (!script_to_scalar(lua, index, &node))
		luaL_error(lua, "a graph node must be a number, a string, true or false, not %s",
			   luaL_typename(lua, index));
}

static void check_nodes(lua_State *lua)
{
	check_node(lua, 2);
	check_node(lua, 3);
}

/*
 * Replaces the key on the top of the stack by the table that the table at `table` has under this
 * key. If there is none, adds an empty one. Returns the stack index of the table that was found or
 * added.
 */
static int push_table_at_key(lua_State *lua, int table)
{
	lua_pushvalue(lua, -1);
	if (lua_rawget(lua, table) != LUA_TTABLE) {
		lua_pop(lua, 1);
		lua_createtable(lua, 0, 1);
		lua_pushvalue(lua, -2);
		lua_pushvalue(lua, -2);
		lua_rawset(lua, table);
	}
	lua_replace(lua, -2);
	return lua_gettop(lua);
}

static int add_edge(lua_State *lua)
{
	int edges, to;

	check_nodes(lua);
	edges = push_edges(lua);
	if (!edges) {
		lua_pushliteral(lua, "edges");
		edges = push_table_at_key(lua, 1);
	}
	lua_pushvalue(lua, 2);
	to = push_table_at_key(lua, edges);
	lua_pushvalue(lua, 3);
	lua_pushboolean(lua, true);
	lua_rawset(lua, to);
	return 0;
}

static int remove_edge(lua_State *lua)
{
	int edges, to;

	check_nodes(lua);
	edges = push_edges(lua);
	if (!edges)
		return 0;
	lua_pushvalue(lua, 2);
	if (lua_rawget(lua, edges) != LUA_TTABLE)
		return 0;
	to = lua_gettop(lua);
	lua_pushvalue(lua, 3);
	lua_pushnil(lua);
	lua_rawset(lua, to);
	if (!script_is_empty(lua, to))
		return 0;
	lua_pushvalue(lua, 2);
	lua_pushnil(lua);
	lua_rawset(lua, edges);
	if (!script_is_empty(lua, edges))
		return 0;
	lua_pushliteral(lua, "edges");
	lua_pushnil(lua);
	lua_rawset(lua, 1);
	return 0;
}

/* ---- graphs as arrays ------------------------------------------------------------------------ */

struct graph_edge {
	struct script_scalar from, to;
};

struct graph_arrays {
	uint32_t nodes, edges;
	struct script_scalar *names; /* by node, sorted */
	/* by node, with an additional last entry: index of its first edge in `to` */
	uint32_t *first;
	/* target of each edge; the edges are sorted by source and target */
	uint32_t *to;
};

/*
 * Counts the edges. This must happen before memory is allocated, because script_charge(), which
 * gets the count, may raise a Lua error, and that would leak the memory. Sets `*single_edges` if no
 * path has more than one edge: no edge leads to a node that has outgoing edges.
 */
static uint64_t count_edges(lua_State *lua, int edges, bool *single_edges)
{
	uint64_t count = 0;

	*single_edges = true;
	if (!edges)
		return 0;
	lua_pushnil(lua);
	while (lua_next(lua, edges)) {
		if (!lua_istable(lua, -1))
			luaL_error(lua, "the 'edges' table of the graph was changed: use g:edge "
					"and g:remove");
		lua_pushnil(lua);
		while (lua_next(lua, -2)) {
			lua_pop(lua, 1);
			check_node(lua, -1);
			count++;
			lua_pushvalue(lua, -1);
			*single_edges &= lua_rawget(lua, edges) == LUA_TNIL;
			lua_pop(lua, 1);
		}
		lua_pop(lua, 1);
		check_node(lua, -1);
	}
	return count;
}

static struct graph_edge *list_edges(lua_State *lua, int edges, uint64_t count)
{
	struct graph_edge *list = mem_alloc((count + 1) * sizeof *list), *next = list;

	lua_pushnil(lua);
	while (lua_next(lua, edges)) {
		lua_pushnil(lua);
		while (lua_next(lua, -2)) {
			lua_pop(lua, 1);
			script_to_scalar(lua, -3, &next->from);
			script_to_scalar(lua, -1, &next->to);
			next++;
		}
		lua_pop(lua, 1);
	}
	return list;
}

SORT_COMPARISON(by_order, struct script_scalar, a, b, script_compare_scalars(a, b))
SORT_COMPARISON(by_from_and_to, struct graph_edge, a, b,
		script_compare_scalars(&a->from, &b->from)
			?: script_compare_scalars(&a->to, &b->to))

/* Returns UINT32_MAX if the graph has no such node. */
static uint32_t find_node(const struct graph_arrays *g, const struct script_scalar *name)
{
	uint32_t node;

	SEARCH_FIRST(node, g->nodes, script_compare_scalars(&g->names[node], name) >= 0);
	if (node == g->nodes || script_compare_scalars(&g->names[node], name))
		return UINT32_MAX;
	return node;
}

static void list_nodes(struct graph_arrays *g, const struct graph_edge *list)
{
	g->names = mem_alloc(((size_t)g->edges * 2 + 1) * sizeof *g->names);
	for (uint32_t i = 0; i < g->edges; i++) {
		g->names[2 * i] = list[i].from;
		g->names[2 * i + 1] = list[i].to;
	}
	sort_items(g->names, (size_t)g->edges * 2, sizeof *g->names, by_order);
	for (uint32_t i = 0; i < g->edges * 2; i++)
		if (!g->nodes || script_compare_scalars(&g->names[g->nodes - 1], &g->names[i]))
			g->names[g->nodes++] = g->names[i];
}

/*
 * Converts the graph in argument 1 to arrays. Returns false, and allocates nothing, if no path has
 * more than one edge.
 */
static bool graph_to_arrays(lua_State *lua, struct graph_arrays *g)
{
	int edges = push_edges(lua);
	bool single_edges;
	uint64_t count = count_edges(lua, edges, &single_edges);
	struct graph_edge *list;

	script_charge(lua, count * (single_edges ? 2 : 32));
	if (single_edges)
		return false;
	*g = (struct graph_arrays){ .edges = (uint32_t)count };
	list = list_edges(lua, edges, count);
	sort_items(list, g->edges, sizeof *list, by_from_and_to);
	list_nodes(g, list);
	g->first = mem_zalloc((size_t)g->nodes + 1, sizeof *g->first);
	g->to = mem_alloc(((size_t)g->edges + 1) * sizeof *g->to);
	for (uint32_t i = 0; i < g->edges; i++) {
		g->first[find_node(g, &list[i].from) + 1]++;
		g->to[i] = find_node(g, &list[i].to);
	}
	for (uint32_t node = 0; node < g->nodes; node++)
		g->first[node + 1] += g->first[node];
	free(list);
	return true;
}

static void graph_arrays_free(struct graph_arrays *g)
{
	free(g->names);
	free(g->first);
	free(g->to);
}

/* ---- searching ------------------------------------------------------------------------------- */

/*
 * Kahn's algorithm: repeatedly removes a node without incoming edges. The remaining nodes are on
 * cycles or reachable from cycles.
 */
static bool *find_unremovable_nodes(const struct graph_arrays *g, uint32_t *remaining)
{
	uint32_t *into = mem_zalloc((size_t)g->nodes + 1, sizeof *into);
	uint32_t *queue = mem_alloc(((size_t)g->nodes + 1) * sizeof *queue), count = 0;
	bool *remains = mem_zalloc((size_t)g->nodes + 1, sizeof *remains);

	for (uint32_t i = 0; i < g->edges; i++)
		into[g->to[i]]++;
	for (uint32_t node = 0; node < g->nodes; node++) {
		remains[node] = into[node];
		if (!into[node])
			queue[count++] = node;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++)
			if (!--into[g->to[e]]) {
				remains[g->to[e]] = false;
				queue[count++] = g->to[e];
			}
	*remaining = g->nodes - count;
	free(into);
	free(queue);
	return remains;
}

/*
 * Finds a shortest path of at least one edge by breadth-first search. Edges are tried in order, so
 * the result depends only on the graph. Returns the predecessor of each node, or NULL if there is
 * no path.
 */
static uint32_t *find_path(const struct graph_arrays *g, uint32_t from, uint32_t to)
{
	uint32_t *before = mem_alloc(((size_t)g->nodes + 1) * sizeof *before);
	uint32_t *queue = mem_alloc(((size_t)g->nodes + 2) * sizeof *queue), count = 0;
	bool found = false;

	for (uint32_t node = 0; node < g->nodes; node++)
		before[node] = UINT32_MAX;
	queue[count++] = from;
	for (uint32_t i = 0; i < count && !found; i++) {
		for (uint32_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++) {
			if (before[g->to[e]] != UINT32_MAX)
				continue;
			before[g->to[e]] = queue[i];
			if (g->to[e] != from) /* `from` is the first entry of the queue */
				queue[count++] = g->to[e];
		}
		found = before[to] != UINT32_MAX;
	}
	free(queue);
	if (found)
		return before;
	free(before);
	return NULL;
}

static bool is_acyclic(lua_State *lua)
{
	struct graph_arrays g;
	uint32_t remaining;

	if (!graph_to_arrays(lua, &g))
		return true;
	free(find_unremovable_nodes(&g, &remaining));
	graph_arrays_free(&g);
	return !remaining;
}

/* Is there an edge from argument 2 to argument 3? */
static bool has_edge(lua_State *lua, int edges)
{
	bool found = false;

	if (!edges)
		return false;
	lua_pushvalue(lua, 2);
	if (lua_rawget(lua, edges) == LUA_TTABLE) {
		lua_pushvalue(lua, 3);
		found = lua_rawget(lua, -2) != LUA_TNIL;
		lua_pop(lua, 1);
	}
	lua_pop(lua, 1);
	return found;
}

static int has_path(lua_State *lua)
{
	struct script_scalar a, b;
	struct graph_arrays g;
	uint32_t from, to, *path = NULL;
	bool edge;

	check_nodes(lua);
	script_to_scalar(lua, 2, &a);
	script_to_scalar(lua, 3, &b);
	edge = has_edge(lua, push_edges(lua));
	if (!edge && graph_to_arrays(lua, &g)) {
		from = find_node(&g, &a);
		to = find_node(&g, &b);
		if (from != UINT32_MAX && to != UINT32_MAX)
			path = find_path(&g, from, to);
		graph_arrays_free(&g);
	}
	lua_pushboolean(lua, edge || path);
	free(path);
	return 1;
}

/* Returns a node on a cycle, or UINT32_MAX if there is no cycle. */
static uint32_t find_node_on_cycle(const struct graph_arrays *g)
{
	uint32_t *before = mem_alloc(((size_t)g->nodes + 1) * sizeof *before);
	uint32_t remaining, at = UINT32_MAX;
	bool *remains = find_unremovable_nodes(g, &remaining);

	for (uint32_t node = g->nodes; node-- > 0;)
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
			if (remains[node])
				before[g->to[e]] = node;
	for (uint32_t node = g->nodes; node-- > 0;)
		if (remains[node])
			at = node;
	/*
	 * Each remaining node has a remaining predecessor, so following predecessors leads into a
	 * cycle.
	 */
	for (uint32_t steps = 0; remaining && steps < g->nodes; steps++)
		at = before[at];
	free(before);
	free(remains);
	return at;
}

/*
 * Lists a short cycle against the direction of its edges, starting with its least node. Returns the
 * number of nodes; 0 if there is no cycle.
 */
static uint32_t list_cycle(const struct graph_arrays *g, struct script_scalar *names)
{
	uint32_t node = find_node_on_cycle(g), length = 0, least = node, *path;

	if (node == UINT32_MAX)
		return 0;
	path = find_path(g, node, node);
	for (uint32_t at = path[node]; at != node; at = path[at])
		least = at < least ? at : least;
	for (uint32_t at = least; !length || at != least; at = path[at])
		names[length++] = g->names[at];
	free(path);
	return length;
}

/*
 * Pushes a list of the nodes on a cycle. Searches first and frees its memory, and only then creates
 * the list, which may raise a Lua error.
 */
static int push_cycle(lua_State *lua)
{
	script_scalars *found = &script_of(lua)->keys[0];
	struct graph_arrays g;
	uint32_t length;

	if (!graph_to_arrays(lua, &g))
		return 0;
	found->count = 0;
	length = list_cycle(&g, vec_reserve(found, g.nodes + 1u));
	graph_arrays_free(&g);
	if (!length)
		return 0;
	lua_createtable(lua, (int)length, 0);
	script_set_kind(lua, SCRIPT_LIST);
	for (uint32_t i = 0; i < length; i++) {
		script_push_scalar(lua, &found->items[i ? length - i : 0]);
		lua_rawseti(lua, -2, i + 1);
	}
	return 1;
}

/* ---- methods --------------------------------------------------------------------------------- */

/*
 * Reads a member of a graph. g.acyclic is computed on each access; all other members are methods.
 */
static int get_member(lua_State *lua)
{
	if (lua_type(lua, 2) == LUA_TSTRING && !strcmp(lua_tostring(lua, 2), "acyclic")) {
		lua_pushboolean(lua, is_acyclic(lua));
		return 1;
	}
	lua_settop(lua, 2);
	lua_rawget(lua, lua_upvalueindex(1));
	return 1;
}

void script_push_graph_metatable(lua_State *lua)
{
	static const luaL_Reg methods[] = { { "edge", add_edge },
					    { "remove", remove_edge },
					    { "cycle", push_cycle },
					    { "reaches", has_path },
					    { NULL, NULL } };

	lua_createtable(lua, 0, 1);
	luaL_newlib(lua, methods);
	lua_pushcclosure(lua, get_member, 1);
	lua_setfield(lua, -2, "__index");
}
