// The Remote Agent among forty threads that have nothing to do with it.
// explore: lost-signal|deadlock WAITS
// fixed: no
// build: -pthread
#include "remote_agent.h"

#include "crowd.h"

int main(void)
{
	crowd_start();
	agent_start();
	agent_join();
	crowd_join();
	return 0;
}
