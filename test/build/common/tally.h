/* The projects' library: a sum that threads may add to. */
#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

void tally_add(int n);
int tally_total(void);

#ifdef __cplusplus
}
#endif

#endif
