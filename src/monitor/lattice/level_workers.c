#include "monitor/lattice/level_walk.h"

#include "base/mem.h"

/*
 * Threads are kept over all levels: starting one costs as much as merging a thousand cuts. The caller
 * is the crew's first member.
 */
struct level_workers {
	unsigned jobs, busy;
	uint64_t turn;
	bool over;
	void (*work)(void *context, unsigned job);
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	struct hand {
		struct level_workers *crew;
		unsigned job;
		pthread_t thread;
	} hands[];
};

static void *lend_hand(void *self)
{
	struct hand *hand = self;
	struct level_workers *crew = hand->crew;
	uint64_t turn = 0;

	pthread_mutex_lock(&crew->lock);
	for (;;) {
		while (crew->turn == turn && !crew->over)
			pthread_cond_wait(&crew->begin, &crew->lock);
		if (crew->over)
			break;
		turn = crew->turn;
		pthread_mutex_unlock(&crew->lock);
		crew->work(crew->context, hand->job);
		pthread_mutex_lock(&crew->lock);
		if (!--crew->busy)
			pthread_cond_signal(&crew->end);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

struct level_workers *level_workers_new(unsigned jobs)
{
	struct level_workers *crew;

	if (jobs < 2)
		return NULL;
	crew = mem_zalloc(1, sizeof *crew + jobs * sizeof crew->hands[0]);
	crew->jobs = 1;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->begin, NULL);
	pthread_cond_init(&crew->end, NULL);
	/* without threads the work is done all the same */
	while (crew->jobs < jobs) {
		struct hand *hand = &crew->hands[crew->jobs];

		*hand = (struct hand){ .crew = crew, .job = crew->jobs };
		if (pthread_create(&hand->thread, NULL, lend_hand, hand))
			break;
		crew->jobs++;
	}
	return crew;
}

void level_workers_free(struct level_workers *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->over = true;
	pthread_cond_broadcast(&crew->begin);
	pthread_mutex_unlock(&crew->lock);
	for (unsigned i = 1; i < crew->jobs; i++)
		pthread_join(crew->hands[i].thread, NULL);
	pthread_mutex_destroy(&crew->lock);
	pthread_cond_destroy(&crew->begin);
	pthread_cond_destroy(&crew->end);
	free(crew);
}

unsigned level_workers_jobs(const struct level_workers *crew)
{
	return crew ? crew->jobs : 1;
}

void level_workers_run(struct level_workers *crew, void (*work)(void *context, unsigned job),
		       void *context)
{
	if (crew) {
		pthread_mutex_lock(&crew->lock);
		crew->work = work;
		crew->context = context;
		crew->busy = crew->jobs - 1;
		crew->turn++;
		pthread_cond_broadcast(&crew->begin);
		pthread_mutex_unlock(&crew->lock);
	}
	work(context, 0);
	if (crew) {
		pthread_mutex_lock(&crew->lock);
		while (crew->busy)
			pthread_cond_wait(&crew->end, &crew->lock);
		pthread_mutex_unlock(&crew->lock);
	}
}
