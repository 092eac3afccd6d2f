// Whether an agent's kernel is bad: because the agent says so, or a rule of an administrator.
import type { Tx } from '@quarterdeck/core/db';
import { badKernelReason } from '../kernel-rule/bad-kernels.ts';
import type { AgentRow } from './agent.columns.ts';

type KernelColumns = Pick<AgentRow, 'badKernel' | 'badKernelReported' | 'badKernelReason'>;

/** Columns about the kernel that follow from what changes. Rules are looked at where the kernel is another one. */
export async function kernelColumns(
  tx: Tx,
  before: KernelColumns | undefined,
  { kernel, badKernelReported }: Partial<AgentRow>,
): Promise<Partial<KernelColumns>> {
  if (kernel === undefined && badKernelReported === undefined) return {};
  const reason = kernel === undefined ? (before?.badKernelReason ?? '') : await badKernelReason(tx, kernel);
  const isReported = (badKernelReported ?? before?.badKernelReported ?? 0) === 1;
  return { badKernel: Number(isReported || reason !== ''), badKernelReason: reason };
}
