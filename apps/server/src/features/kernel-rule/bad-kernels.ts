// Which kernels an administrator calls bad.
import { matchesKernel } from '@quarterdeck/core';
import { type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock, sharedLock } from '../../sql/locks.ts';

/** What decides about a kernel. */
export interface KernelVerdict {
  readonly pattern: string;
  readonly reason: string;
}

const RULES = statement('SELECT pattern, reason FROM kernel_rule ORDER BY id');
// On PostgreSQL whoever judges a kernel would otherwise not see the rule that is being made, nor be seen by its review.
const SHARE = sharedLock('kernelRules');
const HOLD = exclusiveLock('kernelRules');

/** Begins a write that makes or removes rules: kernels are judged before it, or by what it makes of them. */
export async function holdRules(tx: Tx): Promise<void> {
  await tx.sql.all(HOLD);
}

/** The rules, oldest first. */
export const kernelVerdicts = (sql: Sql): Promise<KernelVerdict[]> => sql.all<KernelVerdict>(RULES);

/** Why a kernel is bad: the reason of the oldest rule that it matches; empty where it matches none. */
export function reasonOf(verdicts: readonly KernelVerdict[], kernel: string): string {
  if (kernel === '') return '';
  return verdicts.find(({ pattern }) => matchesKernel(pattern, kernel))?.reason ?? '';
}

/** Why a kernel that is about to be stored is bad; empty where it is not. */
export async function badKernelReason(tx: Tx, kernel: string): Promise<string> {
  if (kernel === '') return '';
  await tx.sql.all(SHARE);
  return reasonOf(await kernelVerdicts(tx.sql), kernel);
}

/** How the history of an agent says whether its kernel is bad. */
export function badKernelText({ badKernel, badKernelReason }: KernelState): string {
  if (!badKernel) return 'false';
  return badKernelReason === '' ? 'true' : `true: ${badKernelReason}`;
}

interface KernelState {
  readonly badKernel: boolean | number;
  readonly badKernelReason: string;
}
