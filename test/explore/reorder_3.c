// A check between two writes that belong together: 3 threads.
// explore: assertion FAILS
// build: -pthread
#define THREADS 3
#include "reorder.h"
