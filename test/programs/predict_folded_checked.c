// The same where the compiler calls those that know how long the destination is.
// build: -pthread -D_FORTIFY_SOURCE=2
// plain: lib/turn.c
// opt: -O1 -O2 -O3
// stdout: 12
// predict: silent
#include "predict_folded.c"
