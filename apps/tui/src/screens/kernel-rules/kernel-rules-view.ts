// Columns and details of the kernel rules. Pure.
import { type AgentTotals, type KernelRule, matchesKernel } from '@quarterdeck/core';
import { clean, fullTime, grouped, plural } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, factLines, heading } from '../../components/list/detail-lines.ts';
import { countColumn, momentColumn, textColumn, wordColumn } from '../list/columns.ts';

/** Kernels shown in the details. */
const KERNELS_MAX = 12;

/** Kernels of the fleet with their numbers of agents. */
export type Kernels = AgentTotals['kernels'];

/** The kernels that match a pattern. */
export const matching = (pattern: string, kernels: Kernels): Kernels =>
  kernels.filter(({ value }) => matchesKernel(pattern, value));

/** The agents that a pattern matches, in a sentence. */
export function matchText(pattern: string, kernels: Kernels): string {
  const found = matching(pattern, kernels);
  if (found.length === 0) return 'It matches no kernel that an agent has now.';
  const agents = found.reduce((sum, { count }) => sum + count, 0);
  const names = found.slice(0, 3).map(({ value }) => clean(value));
  const more = found.length > names.length ? ', …' : '';
  return `It matches ${plural(agents, 'agent')}, with ${names.join(', ')}${more}.`;
}

export const ruleName = ({ pattern }: KernelRule): string => clean(pattern);

export function kernelRuleColumns(rules: readonly KernelRule[], nowMs: number): Column<KernelRule>[] {
  return [
    textColumn('pattern', 'Pattern', rules, ({ pattern }) => pattern, {
      widths: [12, 26, 60],
      grow: 2,
      pinned: true,
      searched: true,
      tone: 'strong',
    }),
    countColumn('agents', 'Agents', 7, ({ agents }) => agents, { tone: 'warning' }),
    textColumn('reason', 'Reason', rules, ({ reason }) => reason, {
      widths: [12, 20, 120],
      width: 20,
      grow: 4,
      searched: true,
    }),
    momentColumn('created', 'Created', ({ created }) => created, nowMs, { drop: 2, value: ({ created }) => -created }),
    wordColumn('by', 'By', rules, ({ created_by }) => created_by, { least: 5, most: 20, drop: 1 }),
  ];
}

/** The details of a rule, with the kernels that it matches. */
export function kernelRuleDetail(rule: KernelRule, kernels: Kernels): Detail {
  const found = matching(rule.pattern, kernels);
  const facts: Facts = [
    { label: 'Pattern', value: clean(rule.pattern) },
    { label: 'Reason', value: clean(rule.reason) },
    { label: 'Agents', value: grouped(rule.agents) },
    { label: 'Created', value: `${fullTime(rule.created * 1000)} by ${clean(rule.created_by)}` },
    { label: 'Id', value: String(rule.id) },
  ];
  return factDetail(ruleName(rule), facts, (width) => [
    ...(found.length === 0
      ? []
      : [
          [],
          heading('Kernels it matches'),
          ...factLines(
            found
              .slice(0, KERNELS_MAX)
              .map(({ value, count }) => ({ label: clean(value), value: plural(count, 'agent') })),
            width,
          ),
        ]),
  ]);
}
