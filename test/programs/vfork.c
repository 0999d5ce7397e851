// The child of a vfork runs in its parent's memory; that it ends must not end the recording.
// stdout: 21
// count: 3 ^T0\|w\(ended
// text: ^T0\|w\(ended@4\)=21\|
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int ended;

int main(void)
{
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t child = vfork();
		if (child == 0) {
			if (i == 1)
				execl("/nonexistent", "nonexistent", (char *)NULL);
			_exit(7);
		}
		waitpid(child, &status, 0);
		ended += WEXITSTATUS(status);
	}
	printf("%d\n", ended);
	return 0;
}
