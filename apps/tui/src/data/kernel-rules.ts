// Requests about rules for bad kernels.
import type { KernelRule, KernelRuleDraft } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';

const EVERY_MS = 15_000;

const list: ReadRange<KernelRule> = (client, query, signal) => client.kernelRule.list({ query }, { signal });

/** Reads the rules while `active`. */
export const useKernelRules = (active: boolean): Rows<KernelRule> => useRows(list, active, { everyMs: EVERY_MS });

export const createKernelRule = (client: Client, body: KernelRuleDraft): Promise<KernelRule> =>
  client.kernelRule.create({ body });

/** Deletes a rule. */
export const removeKernelRule = (client: Client, id: number): Promise<undefined> =>
  client.kernelRule.remove({ params: { id } });
