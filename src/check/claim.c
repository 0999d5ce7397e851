/* Finds the events that a witness names, in the window and in the schedule that was played. */
#include "check/claim.h"

struct checker_words checker_claim_words(const struct checker_play *play,
					 const struct event_id *event)
{
	uint32_t stream = checker_stream_of(play->world->trace, event->stream);

	if (stream == TRACE_NONE)
		return (struct checker_words){ "an event of an unknown stream" };
	return checker_event_words(play->world->trace, stream, event->index);
}

bool checker_claim_names(const struct checker_play *play, const struct event_id *event,
			 const struct checker_record *record)
{
	return record &&
	       trace_stream(play->world->trace, record->stream)->number == event->stream &&
	       record->index == event->index;
}

uint32_t checker_claim_thread(const struct checker_play *play, const struct event_id *event)
{
	uint32_t stream = checker_stream_of(play->world->trace, event->stream);

	return stream == TRACE_NONE ? CHECKER_END
				    : checker_source_thread(play->base->source, stream);
}

uint32_t checker_claim_number(const struct checker_play *play, const struct event_id *event,
			      struct err *err)
{
	uint32_t thread = checker_claim_thread(play, event);
	uint32_t number = CHECKER_END;

	if (thread != CHECKER_END)
		number = checker_base_find(play->base, play->base->first[thread],
					   checker_stream_of(play->world->trace, event->stream),
					   event->index);
	if (number != CHECKER_END)
		return number;
	err_set(err, "%s is not in the window", checker_claim_words(play, event).text);
	return 0;
}

bool checker_claim_not_next(const struct checker_play *play, const struct event_id *event,
			    struct err *err)
{
	return err_set(err, "after the last step %s is not next",
		       checker_claim_words(play, event).text);
}

bool checker_claim_is_next(const struct checker_play *play, const struct event_id *event,
			   unsigned without, struct err *err)
{
	uint32_t thread = checker_claim_thread(play, event);
	uint32_t number = thread == CHECKER_END ? CHECKER_END : play->next[thread];
	const struct checker_record *record =
		number == CHECKER_END ? NULL : checker_base_record(play->base, number);
	struct err why;

	if (!checker_claim_names(play, event, record))
		return checker_claim_not_next(play, event, err);
	if (without ? !checker_play_is_free(play, number, without, &why)
		    : !checker_play_is_ready(play, number, &why))
		return err_set(err, "%s cannot come next: %.*s",
			       checker_claim_words(play, event).text, (int)(sizeof err->text / 2),
			       why.text);
	if (checker_play_is_at_barrier(play, record->stream))
		return err_set(err, "%s cannot come next: its thread is at a barrier",
			       checker_claim_words(play, event).text);
	return true;
}

size_t checker_claim_position(const struct checker_play *play, uint32_t number)
{
	for (size_t i = 0; i < play->order.count; i++) {
		if (play->order.items[i] == number)
			return i + 1;
	}
	return 0;
}
