// A line may come behind the close. The stream lies where another one lay that is closed by then; standard
// output is nobody's.
// property: stream-protocol
// violates: StreamProtocol use@PRINT
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
	fclose(report);
	return unused;
}

int main(void)
{
	pthread_t closer;

	report = fopen("/dev/null", "w");
	if (!report || fclose(report))
		return 1;
	report = fopen("/dev/null", "w");
	if (!report)
		return 1;
	fflush(stdout);
	pthread_create(&writer, NULL, work, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(writer, NULL);
#endif
	pthread_join(closer, NULL);
	return 0;
}
