// A check between two writes that belong together: 100 threads.
// explore: assertion FAILS
// build: -pthread
#ifdef FIXED
#define THREADS 7 // with a lock every order of the threads differs: 7! schedules
#else
#define THREADS 100
#endif
#include "reorder.h"
