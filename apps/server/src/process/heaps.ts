// Heaps of the main thread and of the others.
import { setFlagsFromString } from 'node:v8';

/**
 * Lets threads have the young generation of their own limits. V8 prefers the flag that `bin/quarterdeckd` sets for the
 * main thread, whose heap has its size by now. With 2 MB a thread that stores lines spends a fifth of its time on
 * garbage.
 */
export const letThreadsSizeTheirHeaps = (): void => setFlagsFromString('--max-semi-space-size=0');

/**
 * Lets the heaps double before old objects are collected. `bin/quarterdeckd` sets 20 %, for little memory. But on
 * PostgreSQL the main thread stores lines, and would spend a third of its time on garbage. It takes 60 MB more under
 * load.
 */
export const letHeapsDouble = (): void => setFlagsFromString('--heap-growing-percent=100');
