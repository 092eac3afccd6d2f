// The screen of the rules that mark kernels as bad.

import type { KernelRule } from '@quarterdeck/core';
import { NO_AGENT_FILTER } from '@quarterdeck/views/agents';
import { useAgentTotals, useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { createDialog, removeDialog } from './kernel-rule-dialogs.ts';
import { type Kernels, kernelRuleColumns, kernelRuleDetail } from './kernel-rules-view.ts';

const EVERY_MS = 15_000;

const list: ReadRange<KernelRule> = (client, query, signal) => client.kernelRule.list({ query }, { signal });

const useKernelRules = (active: boolean): Rows<KernelRule> => useRows(list, active, { everyMs: EVERY_MS });

const NONE: Kernels = [];

function useRulesAndKernels(active: boolean) {
  const { query, rows, partial, refresh } = useKernelRules(active);
  const { totals, refresh: recount } = useAgentTotals(NO_AGENT_FILTER, false, active);
  return {
    query,
    rows,
    partial,
    refresh() {
      refresh();
      recount();
    },
    kernels: totals?.kernels ?? NONE,
  };
}

export const KernelRulesScreen = listScreen({
  place: 'kernelRules',
  useSource: useRulesAndKernels,
  clockMs: 30_000,
  columns: kernelRuleColumns,
  detail: (rule, { source: { kernels } }) => kernelRuleDetail(rule, kernels),
  commands: ({ selected, chosen }, context) => ({
    create: () => context.open(createDialog(context.source.kernels, context)),
    agents: () => context.go({ screen: 'agents', args: { bad_kernel: '1' } }),
    remove: selected === undefined ? undefined : () => context.open(removeDialog(chosen, context)),
  }),
  empty: ({ keyOf }) => ({
    reading: 'Reading the rules…',
    title: 'No rules of bad kernels.',
    lines: [
      'A rule marks every agent whose kernel it matches, with its reason.',
      ...pressTo(keyOf('kernelRules.create'), 'create one'),
    ],
  }),
});
