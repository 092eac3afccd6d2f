// Requests about rules for bad kernels.
import type { KernelRule, KernelRuleDraft } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { ROWS_MAX, type Rows, useRows } from './use-rows.ts';

const EVERY_MS = 15_000;

const list = (client: Client, signal: AbortSignal) =>
  client.kernelRule.list({ query: { page_size: ROWS_MAX } }, { signal });

/** Reads the rules while `active`. */
export const useKernelRules = (active: boolean): Rows<KernelRule> => useRows(list, active, EVERY_MS);

/** Creates a rule. */
export const createKernelRule = (client: Client, body: KernelRuleDraft): Promise<KernelRule> =>
  client.kernelRule.create({ body });

/** Deletes a rule. */
export const removeKernelRule = (client: Client, id: number): Promise<undefined> =>
  client.kernelRule.remove({ params: { id } });
