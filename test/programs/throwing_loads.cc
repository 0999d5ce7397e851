// -fnon-call-exceptions: loads that may throw keep their handlers.
// build: -fnon-call-exceptions
// stdout: caught 0
#include <cstdio>

struct bits {
	int a : 3, b : 5;
	int more[40];
};
bits from, to;
bits *volatile where = &from;

int main()
{
	int caught = 0;
	try {
		to = *where;
		caught = where->b;
	} catch (...) {
		caught = 1;
	}
	std::printf("caught %d\n", caught);
	return 0;
}
