// LIBS: -luv

// uv_queue_work runs jobs in the pool of libuv; the callback after it runs in the loop's thread.
#include <uv.h>

struct job {
	uv_work_t request;
	int value;
};
static int total, seen_by_workers;

static void work(uv_work_t *request)
{
	struct job *job = (struct job *)request;

	job->value *= 2;
#ifdef BUG
	seen_by_workers++;
#endif
}

static void after(uv_work_t *request, int status)
{
	(void)status;
	total += ((struct job *)request)->value;
}

int main(void)
{
	struct job jobs[3];

	for (int i = 0; i < 3; i++) {
		jobs[i].value = i;
		uv_queue_work(uv_default_loop(), &jobs[i].request, work, after);
	}
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	return total != 6 && seen_by_workers < 9;
}
