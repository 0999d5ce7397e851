// Each volatile access is an event, the unused ones too.
// build: -pthread
// stdout: 3
// count: 3 \|w\(port@4,volatile\)=
// count: 3 \|r\(port@4,volatile\)=
// text: \|w\(port@4,volatile\)=1\|
#include <stdio.h>

volatile int port;

int main(void)
{
	port = 1;
	port = 2;
	(void)port;
	port++;
	int last = port;
	printf("%d\n", last);
	return 0;
}
