// The same with a stream: the last line of a report may come too late.
// property: use-after-close
// violates: UseAfterFclose close@CLOSE use@PRINT
#include <pthread.h>
#include <stdio.h>

static FILE *report;
static pthread_t writer;

static void *work(void *unused)
{
	fputs("one line\n", report); // PRINT
	return unused;
}

static void *end(void *unused)
{
#ifdef FIXED
	pthread_join(writer, NULL);
#endif
	fclose(report); // CLOSE
	return unused;
}

int main(void)
{
	pthread_t closer;

	report = fopen("/dev/null", "w");
	if (!report)
		return 1;
	pthread_create(&writer, NULL, work, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(writer, NULL);
#endif
	pthread_join(closer, NULL);
	return 0;
}
