// __SANITIZE_THREAD__ is defined, as with -fsanitize=thread.
// build: -fsanitize=thread
// native: no
// stdout: defined
#include <stdio.h>

int main(void)
{
#ifdef __SANITIZE_THREAD__
	puts("defined");
#else
	puts("not defined");
#endif
	return 0;
}
