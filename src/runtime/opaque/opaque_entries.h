/* Notices when opaque code calls functions of an instrumented module. */
#ifndef RUNTIME_OPAQUE_OPAQUE_ENTRIES_H
#define RUNTIME_OPAQUE_OPAQUE_ENTRIES_H

struct module;
void opaque_entries_module(struct module *module);

#endif
