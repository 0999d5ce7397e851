/* The open words of a view, by key (grammar_views.h). */
#include "monitor/grammar/grammar_views.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

struct view_word *view_find(const struct view *view, uint32_t key)
{
	uint32_t number = key < view->by_key.count ? view->by_key.items[key] : 0;

	return number ? &view->words.items[number - 1] : NULL;
}

/* Keys are small numbers that are reused: values of live objects, thread numbers. */
static uint32_t *entry_of_key(struct view *view, uint32_t key)
{
	while (view->by_key.count <= key)
		*vec_push(&view->by_key) = 0;
	return &view->by_key.items[key];
}

struct view_word *view_open(struct view *view, uint32_t key, struct grammar_parser *parser,
			    struct err *err)
{
	struct view_word *word = view_find(view, key);
	struct grammar_word *made = word ? NULL : grammar_word_open(parser, err);

	if (word || !made)
		return word;
	if (view->vacant.count)
		word = &view->words.items[view->vacant.items[--view->vacant.count]];
	else
		word = vec_push(&view->words);
	*word = (struct view_word){ .word = made };
	*entry_of_key(view, key) = (uint32_t)(word - view->words.items) + 1;
	view->opened++;
	if (++view->open > view->most)
		view->most = view->open;
	return word;
}

void view_record_event(struct view_word *word, const struct property_event *event)
{
	if (!grammar_word_length(word->word))
		word->session.count = word->oldest = word->length = 0;
	word->last = *event;
	word->length++;
	if (word->session.count < VIEW_SHOWN) {
		*vec_push(&word->session) = event->id;
		return;
	}
	word->session.items[word->oldest] = event->id;
	word->oldest = (word->oldest + 1) % VIEW_SHOWN;
}

void view_copy_session(const struct view_word *word, struct event_id *out)
{
	for (size_t i = 0; i < word->session.count; i++)
		out[i] = word->session.items[(word->oldest + i) % word->session.count];
}

void view_stop_word(struct view *view, struct view_word *word)
{
	if (!word->word)
		return;
	grammar_word_close(word->word);
	word->word = NULL;
	vec_free(&word->session);
	view->open--;
}

void view_close(struct view *view, uint32_t key)
{
	struct view_word *word = view_find(view, key);

	if (!word)
		return;
	view_stop_word(view, word);
	*vec_push(&view->vacant) = view->by_key.items[key] - 1;
	view->by_key.items[key] = 0;
}

void view_free(struct view *view)
{
	for (uint32_t key = 0; key < view->by_key.count; key++)
		view_close(view, key);
	assert(!view->open);
	vec_free(&view->by_key);
	vec_free(&view->words);
	vec_free(&view->vacant);
	*view = (struct view){ 0 };
}
