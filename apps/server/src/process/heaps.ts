// Heaps of the main thread and of the others.
import { setFlagsFromString } from 'node:v8';
import type { Dialect } from '@quarterdeck/core/db';

/**
 * Lets threads have the young generation of their own limits. V8 prefers the flag that `bin/quarterdeckd` sets for the
 * main thread, whose heap has its size by now. With 2 MB a thread that stores lines spends a fifth of its time on
 * garbage.
 */
export const letThreadsSizeTheirHeaps = (): void => setFlagsFromString('--max-semi-space-size=0');

/** Growth of a heap before its old objects are collected, in percent. */
const GROWTH = { sqlite: 50, postgresql: 100 } as const;

/**
 * Lets the heaps of a server that has started grow. `bin/quarterdeckd` sets 20 %, for little memory. Under a stream of
 * lines, 50 % take a tenth less of the processor and 20 MB more. On PostgreSQL the main thread stores lines, and would
 * spend a third of its time on garbage.
 */
export const letHeapsGrow = (dialect: Dialect): void => setFlagsFromString(`--heap-growing-percent=${GROWTH[dialect]}`);
