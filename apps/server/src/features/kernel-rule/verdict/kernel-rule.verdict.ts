// The verdict on a kernel: it is bad if its agent says so or a rule matches it.
import { matchesKernel } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { findPatterns, type KernelPattern, lockRulesShared } from './kernel-rule.repo.ts';

/** The reason why a kernel is bad, from the oldest rule that matches; empty where none matches. */
export function reasonOf(patterns: readonly KernelPattern[], kernel: string): string {
  if (kernel === '') return '';
  return patterns.find(({ pattern }) => matchesKernel(pattern, kernel))?.reason ?? '';
}

/** The reason why a kernel that is about to be stored is bad; empty where it is not. */
export async function badKernelReason(tx: Tx, kernel: string): Promise<string> {
  if (kernel === '') return '';
  await lockRulesShared(tx);
  return reasonOf(await findPatterns(tx), kernel);
}

/** The verdict in the history of an agent. */
export function badKernelText({ badKernel, badKernelReason }: KernelVerdict): string {
  if (!badKernel) return 'false';
  return badKernelReason === '' ? 'true' : `true: ${badKernelReason}`;
}

interface KernelVerdict {
  readonly badKernel: boolean | number;
  readonly badKernelReason: string;
}
