/* What happens when a thread calls opaque code: see opaque.h. */
#include "runtime/opaque/opaque.h"

#include "runtime/host/save_vectors.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sched/sched.h"

#include <stdatomic.h>

static void hand_over(void *pc)
{
	unknown_wait_hand_over((uintptr_t)pc);
}

/*
 * The opaque code may let another thread go on, which then records its OPAQUE. What this thread did
 * so far came before (see unknown_wait_hand_over()). The program's vector registers are live.
 */
static void make_known(uintptr_t pc)
{
	const struct wire_block *buffer = __sooth_lane;

	if (sched_active || buffer->cursor == thread_buffer_self.opaque.known_until)
		return;
	save_vectors_call(hand_over, (void *)pc);
	opaque_is_known();
}

/*
 * A thread that is not known yet has recorded nothing, so no other thread waits for it; its first
 * event comes after its creation, or after everything.
 */
void opaque_called(uintptr_t target, uintptr_t pc)
{
	struct thread_buffer_self *self = &thread_buffer_self;

	if (self->quiet || !self->known || self->ended)
		return;
	make_known(pc);
	if (self->opaque.pc)
		return;
	self->opaque.target = target;
	self->opaque.again = false;
	atomic_signal_fence(memory_order_seq_cst);
	self->opaque.pc = pc;
	atomic_signal_fence(memory_order_seq_cst);
	thread_buffer_hurry(__sooth_lane);
}

void opaque_returns(uintptr_t target, uintptr_t pc)
{
	opaque_called(target, pc);
	if (thread_buffer_self.opaque.pc)
		thread_buffer_self.opaque.again = true;
}
