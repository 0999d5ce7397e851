// The Remote Agent alone.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include "remote_agent.h"

int main(void)
{
	agent_start();
	agent_join();
	return 0;
}
