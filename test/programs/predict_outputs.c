// What puts, fputs and the printf family print is read from the program's memory.
// build: -pthread
// plain: lib/turn.c
// stdout: put
// stdout: file
// stdout: text
// stdout: to.
// stdout: list 7
// predict: race put[]@PUTS put[0]@CHANGES_PUT
// predict: race file[]@FPUTS file[0]@CHANGES_FILE
// predict: race text[]@PRINTF text[0]@CHANGES_TEXT
// predict: race cut@FPRINTF cut[2]@CHANGES_CUT
// predict: race list[]@LIST list[0]@CHANGES_LIST
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static char put[] = "put", file[] = "file\n", text[] = "text", cut[] = "to.cut", list[] = "list";

static void print_list(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(stdout, format, values); // LIST
	va_end(values);
}

static void *print(void *unused)
{
	puts(put);			// PUTS
	fputs(file, stdout);		// FPUTS
	printf("%s\n", text);		// PRINTF
	fprintf(stdout, "%.3s\n", cut); // FPRINTF
	print_list("%s %d\n", list, 7);
	turn_done();
	return unused;
}

static void *change(void *unused)
{
	turn_wait(1);
	put[0] = 'P';  // CHANGES_PUT
	file[0] = 'F'; // CHANGES_FILE
	text[0] = 'T'; // CHANGES_TEXT
	cut[5] = 'T';  // not printed
	cut[2] = ':';  // CHANGES_CUT
	list[0] = 'L'; // CHANGES_LIST
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, print, NULL);
	pthread_create(&threads[1], NULL, change, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
