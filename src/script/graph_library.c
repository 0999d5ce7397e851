/*
 * Graphs: tables { edges = { [from] = { [to] = true } } } with methods, so that copies and keys
 * cover their content. Empty tables are removed, so that graphs with the same edges are equal.
 * Nodes are numbers, strings, true and false. A search first converts the graph to arrays.
 */
#include "script/script_internal.h"
#include "base/mem.h"

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
 * Pushes the edges table of the graph in argument 1 and returns its index. Pushes nothing and
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

static bool is_empty(lua_State *lua, int table)
{
	lua_pushnil(lua);
	if (!lua_next(lua, table))
		return true;
	lua_pop(lua, 2);
	return false;
}

static void check_node(lua_State *lua, int index)
{
	struct script_ordered node;

	if (!script_to_ordered(lua, index, &node))
		luaL_error(lua, "a graph node must be a number, a string, true or false, not %s",
			   luaL_typename(lua, index));
}

static void check_nodes(lua_State *lua)
{
	check_node(lua, 2);
	check_node(lua, 3);
}

/*
 * Replaces the key on the top by the table stored under it in the table at `table`, which is
 * created if it does not exist. Returns its index.
 */
static int push_made(lua_State *lua, int table)
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
		edges = push_made(lua, 1);
	}
	lua_pushvalue(lua, 2);
	to = push_made(lua, edges);
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
	if (!is_empty(lua, to))
		return 0;
	lua_pushvalue(lua, 2);
	lua_pushnil(lua);
	lua_rawset(lua, edges);
	if (!is_empty(lua, edges))
		return 0;
	lua_pushliteral(lua, "edges");
	lua_pushnil(lua);
	lua_rawset(lua, 1);
	return 0;
}

/*
 * ---- graphs as arrays --------------------------------------------------------------------------
 */

struct graph_library_edge {
	struct script_ordered from, to;
};

struct graph_library_graph {
	uint32_t nodes, edges;
	struct script_ordered *names; /* by node, in order */
	uint32_t *first;	      /* by node, and one more: index of its first edge in `to` */
	uint32_t *to;		      /* by edge, sorted by source and target */
};

/*
 * Counts the edges before anything is allocated, because a call may be stopped only then. `*flat`
 * says that no path has more than one edge: no edge leads to a node that has outgoing edges.
 */
static uint64_t count_edges(lua_State *lua, int edges, bool *flat)
{
	uint64_t count = 0;

	*flat = true;
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
			*flat &= lua_rawget(lua, edges) == LUA_TNIL;
			lua_pop(lua, 1);
		}
		lua_pop(lua, 1);
		check_node(lua, -1);
	}
	return count;
}

static struct graph_library_edge *take_edges(lua_State *lua, int edges, uint64_t count)
{
	struct graph_library_edge *list = mem_alloc((count + 1) * sizeof *list), *next = list;

	lua_pushnil(lua);
	while (lua_next(lua, edges)) {
		lua_pushnil(lua);
		while (lua_next(lua, -2)) {
			lua_pop(lua, 1);
			script_to_ordered(lua, -3, &next->from);
			script_to_ordered(lua, -1, &next->to);
			next++;
		}
		lua_pop(lua, 1);
	}
	return list;
}

static int compare_nodes(const void *a, const void *b)
{
	return script_compare_keys(a, b);
}

static int compare_edges(const void *a, const void *b)
{
	const struct graph_library_edge *x = a, *y = b;
	int order = script_compare_keys(&x->from, &y->from);

	return order ? order : script_compare_keys(&x->to, &y->to);
}

static uint32_t node_of(const struct graph_library_graph *g, const struct script_ordered *name)
{
	const struct script_ordered *found =
		bsearch(name, g->names, g->nodes, sizeof *name, compare_nodes);

	return found ? (uint32_t)(found - g->names) : UINT32_MAX;
}

static void name_nodes(struct graph_library_graph *g, const struct graph_library_edge *list)
{
	g->names = mem_alloc(((size_t)g->edges * 2 + 1) * sizeof *g->names);
	for (uint32_t i = 0; i < g->edges; i++) {
		g->names[2 * i] = list[i].from;
		g->names[2 * i + 1] = list[i].to;
	}
	qsort(g->names, (size_t)g->edges * 2, sizeof *g->names, compare_nodes);
	for (uint32_t i = 0; i < g->edges * 2; i++)
		if (!g->nodes || script_compare_keys(&g->names[g->nodes - 1], &g->names[i]))
			g->names[g->nodes++] = g->names[i];
}

/* Converts the graph in argument 1. Returns false, and allocates nothing, if the graph is flat. */
static bool graph_open(lua_State *lua, struct graph_library_graph *g)
{
	int edges = push_edges(lua);
	bool flat;
	uint64_t count = count_edges(lua, edges, &flat);
	struct graph_library_edge *list;

	script_charge(lua, count * (flat ? 2 : 32));
	if (flat)
		return false;
	*g = (struct graph_library_graph){ .edges = (uint32_t)count };
	list = take_edges(lua, edges, count);
	qsort(list, g->edges, sizeof *list, compare_edges);
	name_nodes(g, list);
	g->first = mem_zalloc((size_t)g->nodes + 1, sizeof *g->first);
	g->to = mem_alloc(((size_t)g->edges + 1) * sizeof *g->to);
	for (uint32_t i = 0; i < g->edges; i++) {
		g->first[node_of(g, &list[i].from) + 1]++;
		g->to[i] = node_of(g, &list[i].to);
	}
	for (uint32_t node = 0; node < g->nodes; node++)
		g->first[node + 1] += g->first[node];
	free(list);
	return true;
}

static void graph_close(struct graph_library_graph *g)
{
	free(g->names);
	free(g->first);
	free(g->to);
}

/* ---- searching ------------------------------------------------------------------------------- */

/*
 * Kahn's algorithm: removes nodes without incoming edges until none is left to remove. The
 * remaining nodes are on cycles or reachable from them.
 */
static bool *find_left(const struct graph_library_graph *g, uint32_t *left)
{
	uint32_t *into = mem_zalloc((size_t)g->nodes + 1, sizeof *into);
	uint32_t *queue = mem_alloc(((size_t)g->nodes + 1) * sizeof *queue), count = 0;
	bool *is_left = mem_zalloc((size_t)g->nodes + 1, sizeof *is_left);

	for (uint32_t i = 0; i < g->edges; i++)
		into[g->to[i]]++;
	for (uint32_t node = 0; node < g->nodes; node++) {
		is_left[node] = into[node];
		if (!into[node])
			queue[count++] = node;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++)
			if (!--into[g->to[e]]) {
				is_left[g->to[e]] = false;
				queue[count++] = g->to[e];
			}
	*left = g->nodes - count;
	free(into);
	free(queue);
	return is_left;
}

/*
 * Finds a shortest path of at least one edge, breadth first, edges in order. Returns the
 * predecessor of each node, or NULL if there is no path.
 */
static uint32_t *find_way(const struct graph_library_graph *g, uint32_t from, uint32_t to)
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
			if (g->to[e] != from) /* `from` was in the queue already */
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
	struct graph_library_graph g;
	uint32_t left;

	if (!graph_open(lua, &g))
		return true;
	free(find_left(&g, &left));
	graph_close(&g);
	return !left;
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

static int reaches(lua_State *lua)
{
	struct script_ordered a, b;
	struct graph_library_graph g;
	uint32_t from, to, *way = NULL;
	bool edge;

	check_nodes(lua);
	script_to_ordered(lua, 2, &a);
	script_to_ordered(lua, 3, &b);
	edge = has_edge(lua, push_edges(lua));
	if (!edge && graph_open(lua, &g)) {
		from = node_of(&g, &a);
		to = node_of(&g, &b);
		if (from != UINT32_MAX && to != UINT32_MAX)
			way = find_way(&g, from, to);
		graph_close(&g);
	}
	lua_pushboolean(lua, edge || way);
	free(way);
	return 1;
}

/* Returns a node on a cycle, or UINT32_MAX if there is no cycle. */
static uint32_t find_node_on_cycle(const struct graph_library_graph *g)
{
	uint32_t *before = mem_alloc(((size_t)g->nodes + 1) * sizeof *before);
	uint32_t left, at = UINT32_MAX;
	bool *is_left = find_left(g, &left);

	for (uint32_t node = g->nodes; node-- > 0;)
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
			if (is_left[node])
				before[g->to[e]] = node;
	for (uint32_t node = g->nodes; node-- > 0;)
		if (is_left[node])
			at = node;
	/*
	 * Each remaining node has a remaining predecessor, so going backwards leads into a cycle.
	 */
	for (uint32_t steps = 0; left && steps < g->nodes; steps++)
		at = before[at];
	free(before);
	free(is_left);
	return at;
}

/* Lists a short cycle, backwards, starting with its least node. Returns its length. */
static uint32_t take_cycle(const struct graph_library_graph *g, struct script_ordered *names)
{
	uint32_t node = find_node_on_cycle(g), length = 0, least = node, *way;

	if (node == UINT32_MAX)
		return 0;
	way = find_way(g, node, node);
	for (uint32_t at = way[node]; at != node; at = way[at])
		least = at < least ? at : least;
	for (uint32_t at = least; !length || at != least; at = way[at])
		names[length++] = g->names[at];
	free(way);
	return length;
}

/* Finds the cycle in C first, and then creates the list, which may raise an error. */
static int cycle(lua_State *lua)
{
	script_ordered_keys *found = &script_of(lua)->keys[0];
	struct graph_library_graph g;
	uint32_t length;

	if (!graph_open(lua, &g))
		return 0;
	found->count = 0;
	length = take_cycle(&g, vec_reserve(found, g.nodes + 1u));
	graph_close(&g);
	if (!length)
		return 0;
	lua_createtable(lua, (int)length, 0);
	script_set_kind(lua, SCRIPT_LIST);
	for (uint32_t i = 0; i < length; i++) {
		script_push_ordered(lua, &found->items[i ? length - i : 0]);
		lua_rawseti(lua, -2, i + 1);
	}
	return 1;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* g.acyclic is computed when it is read. Everything else is a method. */
static int find_member(lua_State *lua)
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
					    { "cycle", cycle },
					    { "reaches", reaches },
					    { NULL, NULL } };

	lua_createtable(lua, 0, 1);
	luaL_newlib(lua, methods);
	lua_pushcclosure(lua, find_member, 1);
	lua_setfield(lua, -2, "__index");
}
