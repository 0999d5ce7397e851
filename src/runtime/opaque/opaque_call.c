/* What happens when a thread calls opaque code: see opaque.h. */
#include "runtime/opaque/opaque.h"

#include <stdatomic.h>

/*
 * A thread that is not known yet has recorded nothing, so no other thread waits for it; its first
 * event comes after its creation, or after everything.
 */
void opaque_called(uintptr_t target, uintptr_t pc)
{
	struct thread_buffer_self *self = &thread_buffer_self;

	if (self->opaque.pc || self->quiet || !self->known || self->ended)
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
