// The plugin's assembler text fits a program compiled for Intel's syntax.
// build: -masm=intel
// stdout: 7
// text: ^T0\|w\(shared@4\)=7\|
#include <stdio.h>

int shared;

int main(void)
{
	int seven;
	__asm__("mov %0, 7" : "=r"(seven));
	shared = seven;
	printf("%d\n", shared);
	return 0;
}
