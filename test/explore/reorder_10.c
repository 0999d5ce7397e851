// A check between two writes that belong together: 10 threads.
// explore: assertion FAILS
// build: -pthread
#ifdef FIXED
#define THREADS 6 // with a lock every order of the threads differs: 6! schedules
#else
#define THREADS 10
#endif
#include "reorder.h"
