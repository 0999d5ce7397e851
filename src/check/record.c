/* Makes records from the events of the trace, and classifies them. */
#include "check/record.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 8u

bool checker_is_access(const struct checker_record *record)
{
	return checker_reads(record) || checker_writes(record);
}

bool checker_reads(const struct checker_record *record)
{
	return record->kind == EV_READ || record->kind == EV_ATOMIC_READ ||
	       record->kind == EV_ATOMIC_UPDATE;
}

bool checker_writes(const struct checker_record *record)
{
	return record->kind == EV_WRITE || record->kind == EV_ATOMIC_WRITE ||
	       record->kind == EV_ATOMIC_UPDATE;
}

bool checker_is_atomic(const struct checker_record *record)
{
	return event_group(record->kind) == EG_ATOMIC;
}

/* ---- making records -------------------------------------------------------------------------- */

static void copy_values(struct checker_record *record, const struct trace_event *event)
{
	const uint8_t *value = event->unit ? event->value : NULL;
	const uint8_t *old = value && event->kind == EV_ATOMIC_UPDATE ? event->old : NULL;

	/* A value that was read separately, not by the access itself, counts as not recorded. */
	if (!value || (event->flags & EF_INEXACT))
		return;
	record->unit = event->unit;
	record->bits = CHECKER_VALUE | (old ? CHECKER_OLD : 0);
	if (record->unit > NEAR) {
		record->far.value = value;
		record->far.old = old;
		return;
	}
	memcpy(record->near, value, record->unit);
	if (old)
		memcpy(record->near + NEAR, old, record->unit);
}

void checker_record_init(struct checker_record *record, const struct trace_event *event,
			 uint32_t stream, uint32_t thread)
{
	*record = (struct checker_record){
		.kind = event->kind,
		.flags = event->flags,
		.mode = event->mode < UINT8_MAX ? (uint8_t)event->mode : UINT8_MAX,
		.stream = stream,
		.thread = thread,
		.index = event->index,
		.address = event->address,
		.size = event->size,
		.place = event->site ? (uintptr_t)event->site : event->pc,
	};
	if (checker_is_access(record)) {
		copy_values(record, event);
	} else {
		record->other = event->other;
		record->number = event->number;
	}
}

static bool is_far(const struct checker_record *record)
{
	return (record->bits & CHECKER_VALUE) && record->unit > NEAR;
}

void checker_record_keep(struct checker_record *record)
{
	bool old = record->bits & CHECKER_OLD;
	uint8_t *copy;

	if (!is_far(record))
		return;
	copy = mem_alloc(record->unit * (old ? 2ull : 1ull));
	memcpy(copy, record->far.value, record->unit);
	record->far.value = copy;
	if (old) {
		memcpy(copy + record->unit, record->far.old, record->unit);
		record->far.old = copy + record->unit;
	}
}

void checker_record_drop(struct checker_record *record)
{
	if (is_far(record))
		free((uint8_t *)record->far.value);
}

/* ---- values ---------------------------------------------------------------------------------- */

const uint8_t *checker_written_value(const struct checker_record *record)
{
	if (!(record->bits & CHECKER_VALUE))
		return NULL;
	return record->unit > NEAR ? record->far.value : record->near;
}

const uint8_t *checker_read_value(const struct checker_record *record)
{
	if (record->kind != EV_ATOMIC_UPDATE)
		return checker_written_value(record); /* a read has only one value */
	if (!(record->bits & CHECKER_OLD))
		return NULL;
	return record->unit > NEAR ? record->far.old : record->near + NEAR;
}

/* ---- sync objects ---------------------------------------------------------------------------- */

static bool is_request(uint8_t kind)
{
	return kind == EV_REQUEST || kind == EV_READ_REQUEST || kind == EV_DOWN_REQUEST;
}

unsigned checker_operands(const struct checker_record *record, struct checker_operand operands[2])
{
	enum checker_class class;

	if (is_request(record->kind))
		return 0;
	switch (event_group(record->kind)) {
	case EG_LOCK: class = CHECKER_LOCK; break;
	case EG_CONDITION: class = CHECKER_CONDITION; break;
	case EG_SEMAPHORE: class = CHECKER_SEMAPHORE; break;
	case EG_BARRIER: class = CHECKER_BARRIER; break;
	case EG_ONCE: class = CHECKER_ONCE; break;
	default: return 0;
	}
	operands[0] = (struct checker_operand){ class, record->address };
	if (record->kind != EV_WAIT && record->kind != EV_WOKEN)
		return 1;
	operands[1] = (struct checker_operand){ CHECKER_LOCK, record->other };
	return 2;
}

bool checker_is_blank(const struct checker_record *record)
{
	return record->kind == EV_ALLOC || record->kind == EV_MAP;
}

uint32_t checker_stream_of(const struct trace *trace, uint64_t number)
{
	return number < TRACE_NONE ? trace_find_stream(trace, (uint32_t)number) : TRACE_NONE;
}

/* ---- names in messages ----------------------------------------------------------------------- */

struct checker_words checker_thread_words(const struct trace *trace, uint32_t stream)
{
	uint32_t number = trace_stream(trace, stream)->number;
	const char *name = trace_thread_name(trace, number);
	struct checker_words words;

	if (name)
		snprintf(words.text, sizeof words.text, "%s", name);
	else
		snprintf(words.text, sizeof words.text, "T%" PRIu32, number);
	return words;
}

struct checker_words checker_event_words(const struct trace *trace, uint32_t stream, uint64_t index)
{
	struct checker_words words = checker_thread_words(trace, stream);
	size_t used = strlen(words.text);

	snprintf(words.text + used, sizeof words.text - used, " event %" PRIu64, index);
	return words;
}

struct checker_words checker_object_words(const struct trace *trace, uint64_t address)
{
	const char *name = trace_object_name(trace, address);
	struct checker_words words;

	if (name)
		snprintf(words.text, sizeof words.text, "%s", name);
	else
		snprintf(words.text, sizeof words.text, "%#" PRIx64, address);
	return words;
}
