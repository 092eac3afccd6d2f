// The rules by which kernels are bad: list, details, and the dialogs that make and take them back.
import { type KernelRule, KernelRuleDraft } from '@quarterdeck/core';
import { type ReactElement, useMemo } from 'react';
import type { ConfirmDialog, FormDialog } from '../../components/dialog/dialog.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { EVERY_AGENT } from '../../data/agent-filter.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { doEach } from '../../data/each.ts';
import { createKernelRule, removeKernelRule, useKernelRules } from '../../data/kernel-rules.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAgentTotals } from '../../data/use-agents.ts';
import { useNow } from '../../data/use-now.ts';
import { clean } from '../../text/clean.ts';
import { plural } from '../../text/format.ts';
import { type Kernels, kernelRuleColumns, kernelRuleLines, matchText } from './kernel-rules-view.ts';

const NONE: Kernels = [];
const name = ({ pattern }: KernelRule): string => clean(pattern);

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function KernelRulesScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, profile, now, go, open } = useDashboard();
  const { query, rows, refresh } = useKernelRules(visible);
  const { totals, refresh: recount } = useAgentTotals(EVERY_AGENT, false, visible);
  const kernels = totals?.kernels ?? NONE;
  const nowMs = useNow(now, 30_000, visible);
  const columns = useMemo(() => kernelRuleColumns(rows, nowMs), [rows, nowMs]);
  const renew = (): void => {
    refresh();
    recount();
  };

  const createDialog = (): FormDialog => ({
    kind: 'form',
    title: 'New rule of bad kernels',
    submit: 'make it',
    initial: { pattern: '', reason: '' },
    fields: () => [
      { kind: 'text', name: 'pattern', label: 'Pattern', max: 200, hint: '5.10.0-2?-*' },
      { kind: 'text', name: 'reason', label: 'Reason', max: 500, hint: 'shown with each agent it matches' },
    ],
    check({ pattern = '', reason = '' }) {
      const draft = KernelRuleDraft.safeParse({ pattern: pattern.trim(), reason: reason.trim() });
      const field = draft.error?.issues[0]?.path[0];
      if (field === 'pattern')
        return { field, text: 'The whole name of a kernel without blanks; * and ? stand for others.' };
      return field === undefined ? null : { field: 'reason', text: 'Say why, for those who see the mark.' };
    },
    preview: ({ pattern = '' }) => [
      pattern.trim() === ''
        ? 'The whole name of a kernel; * is any text, ? any character.'
        : matchText(pattern.trim(), kernels),
    ],
    async run({ pattern = '', reason = '' }) {
      const rule = await createKernelRule(client, { pattern: pattern.trim(), reason: reason.trim() });
      renew();
      return `Marked ${plural(rule.agents, 'agent')}.`;
    },
  });

  const removeDialog = (rules: readonly KernelRule[]): ConfirmDialog => ({
    kind: 'confirm',
    title: rules.length === 1 ? 'Take this rule back?' : `Take ${plural(rules.length, 'rule')} back?`,
    lines: rules.map((rule) => `${name(rule)}: ${clean(rule.reason)}, ${plural(rule.agents, 'agent')}.`),
    yes: rules.length === 1 ? 'Take it back' : 'Take them back',
    typed: profile.isProtected ? (rules.length === 1 ? rules.map(name).join('') : `${rules.length} rules`) : undefined,
    async run() {
      const said = await doEach(rules, ({ id }) => removeKernelRule(client, id), {
        done: 'Took back',
        noun: 'rule',
        name,
      });
      renew();
      return said;
    },
  });

  return (
    <ListScreen
      place="kernelRules"
      visible={visible}
      rows={rows}
      columns={columns}
      detail={(rule) => ({ title: name(rule), lines: (width) => kernelRuleLines(rule, kernels, width) })}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh: renew }}
      commands={({ selected, chosen }) => ({
        create: () => open(createDialog()),
        agents: () => go({ screen: 'agents', args: { bad_kernel: '1' } }),
        ...(selected === undefined ? {} : { remove: () => open(removeDialog(chosen)) }),
      })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the rules…"
          empty="No rules of bad kernels."
          lines={['A rule marks every agent whose kernel it matches, with its reason. Press a to make one.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
