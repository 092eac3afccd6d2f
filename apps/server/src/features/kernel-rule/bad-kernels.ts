// Which kernels an administrator calls bad.
import { matchesKernel } from '@quarterdeck/core';
import { type Door, statement } from '@quarterdeck/core/db';

const RULES = statement('SELECT pattern, reason FROM kernel_rule ORDER BY id');

/** Why a kernel is bad: the reason of the oldest rule that it matches; empty where it matches none. */
export async function badKernelReason(door: Door, kernel: string): Promise<string> {
  if (kernel === '') return '';
  const rules = await door.sql.all<{ pattern: string; reason: string }>(RULES);
  return rules.find(({ pattern }) => matchesKernel(pattern, kernel))?.reason ?? '';
}
