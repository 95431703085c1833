#ifndef HARNESS_INTERRUPT_H
#define HARNESS_INTERRUPT_H

/**
 * interrupt_install() - From now on the first SIGINT, SIGTERM or SIGHUP only asks to stop; a
 *   second one ends the program at once.
 */
void interrupt_install(void);

/** interrupt_signal() - The signal that asked to stop, or 0. */
int interrupt_signal(void);

#endif
