/*
 * Segments: the code that records a straight-line piece of the program (event/wire.h), and its row.
 *
 *	buffer, p = open	asm: loads the address to write to; stores the row's address at p
 *	*(p + 4) = a		plain stores, one for each value that can differ between executions
 *	NOP			asm: five bytes where the scheduler can stop before the access
 *	v = *a			the access
 *	*(p + 10) = v
 *	buffer->cursor += n	asm: commits the record
 */
#ifndef GCC_SEGMENT_H
#define GCC_SEGMENT_H

#include "compiler/gcc/plan.h"
#include "event/event.h"
#include "event/wire.h"

#include <string>
#include <vector>

class segment
{
      public:
	explicit segment(slots &known) : known(known)
	{
	}

	bool is_open() const
	{
		return opening != nullptr;
	}
	/* Does an element with a value of `size` bytes fit into the segment? */
	bool has_room(HOST_WIDE_INT size) const;

	/*
	 * Each of these adds one or two elements, and inserts their statements around the statement
	 * at `gsi`. The first call opens the segment there. The iterator stays at that statement.
	 * `named` is the reference as written in the source.
	 */
	void enter(gimple_stmt_iterator *gsi);
	void exit(gimple_stmt_iterator *gsi);
	void add_site(gimple_stmt_iterator *gsi, tree object, uint16_t size);
	void read(gimple_stmt_iterator *gsi, const op &o, tree named);
	void write(gimple_stmt_iterator *gsi, const op &o, tree named);
	/* Adds a struct or array assignment, and replaces the statement at `gsi`. */
	void copy(gimple_stmt_iterator *gsi, const op &o);
	/* Adds an assignment of the form *to = {}. */
	void clear(gimple_stmt_iterator *gsi, const op &o);

	/* These add no events; they make a value known to the reader (slots.h). */
	void define(gimple_stmt_iterator *gsi, const slots::definition &d);
	void assign(gimple_stmt_iterator *gsi, const slots::assignment &a);

	/*
	 * Commits the segment before the statement at `gsi`. If `gsi` is at the end of its block,
	 * commits it there.
	 */
	void close(gimple_stmt_iterator *gsi);

      private:
	struct element {
		wire_element wire;
		std::string address; /* assembler text of address_ref */
		std::string name, path, site;
	};
	slots &known;
	std::vector<element> elements;
	gasm *opening = nullptr;
	tree buffer = NULL_TREE, cursor = NULL_TREE;
	gimple_seq on_edge = NULL; /* statements to insert after an access that ends its block */
	unsigned bytes = 0;

	element &add_element(gimple_stmt_iterator *gsi, event_kind kind, HOST_WIDE_INT size);
	void open(gimple_stmt_iterator *gsi);
	void describe_access(element &e, gimple *stmt, tree named);
	void compute_base_slot(gimple_stmt_iterator *gsi, const access_address &a);
	void set_slot(gimple_stmt_iterator *gsi, tree value, unsigned slot, HOST_WIDE_INT plus);
	void record_address(gimple_stmt_iterator *gsi, element &e, const access_address &a);
	tree payload_at(tree type, unsigned at);
	void store_payload(gimple_stmt_iterator *gsi, tree value, tree type, unsigned at);
	void store_payload_after(gimple_stmt_iterator *gsi, tree value, unsigned at);
	void insert_nop(gimple_stmt_iterator *gsi);
	std::string row_text() const;
};

/*
 * Can the reader compute with values of this type, because they fit into a slot? That holds for
 * integers and pointers of at most 8 bytes.
 */
bool segment_value_fits_slot(tree type);

/* Counters for -fplugin-arg-sooth-statistics. */
struct segment_counts {
	unsigned long segments, reads, writes, copies, inexact, addresses_kept, values_kept;
};
extern segment_counts segment_counts;

/*
 * Returns text in AT&T syntax as the template of an asm statement. Under -masm=intel, operands are
 * printed without '%', which `noprefix` allows. In Intel syntax 990b would not be a label.
 */
const char *segment_asm_template(const std::string &text);

#endif
