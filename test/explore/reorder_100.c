// A check between two writes that belong together: 100 threads.
// explore: assertion FAILS
// build: -pthread
#ifdef FIXED
#define THREADS 8 // with a lock every order of the threads differs: 8! schedules
#else
#define THREADS 100
#endif
#include "reorder.h"
