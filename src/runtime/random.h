/* Random numbers of the system: in a controlled run by thread and count, the same in each run. */
#ifndef RUNTIME_RANDOM_H
#define RUNTIME_RANDOM_H

/* The calling thread's next numbers are its first ones: for the next run. */
void random_reset(void);

#endif
