// The dialogs of the kernel rules as data: create, delete.
import { type KernelRule, KernelRuleDraft } from '@quarterdeck/core';
import { confirmEach, type QuestionContext } from '@quarterdeck/views/questions';
import { clean, plural } from '@quarterdeck/views/text';
import type { ConfirmDialog, FormDialog } from '../../context/dialog.ts';
import { type Kernels, matchText, ruleName } from './kernel-rules-view.ts';

export const createDialog = (kernels: Kernels, { client, refresh, select }: QuestionContext): FormDialog => ({
  kind: 'form',
  title: 'New rule of bad kernels',
  submit: 'create it',
  initial: { pattern: '', reason: '' },
  fields: () => [
    { kind: 'text', name: 'pattern', label: 'Pattern', max: 200, hint: '5.10.0-2?-*' },
    { kind: 'text', name: 'reason', label: 'Reason', max: 500, hint: 'shown with each agent it matches' },
  ],
  check({ pattern = '', reason = '' }) {
    const draft = KernelRuleDraft.safeParse({ pattern: pattern.trim(), reason: reason.trim() });
    const field = draft.error?.issues[0]?.path[0];
    if (field === 'pattern') {
      return { field, text: 'Enter the whole name of a kernel without blanks; * and ? are wildcards.' };
    }
    return field === undefined ? null : { field: 'reason', text: 'Enter a reason for those who see the mark.' };
  },
  preview: ({ pattern = '' }) => [
    pattern.trim() === ''
      ? 'The whole name of a kernel; * is any text, ? any character.'
      : matchText(pattern.trim(), kernels),
  ],
  async run({ pattern = '', reason = '' }) {
    const rule = await client.kernelRule.create({ body: { pattern: pattern.trim(), reason: reason.trim() } });
    refresh();
    select(rule.id);
    return `Marked ${plural(rule.agents, 'agent')}.`;
  },
});

export const removeDialog = (rules: readonly KernelRule[], context: QuestionContext): ConfirmDialog => ({
  ...confirmEach(rules, { verb: 'Delete', done: 'Deleted', noun: 'rule', name: ruleName }, context, ({ id }) =>
    context.client.kernelRule.remove({ params: { id } }),
  ),
  lines: rules.map((rule) => `${ruleName(rule)}: ${clean(rule.reason)}, ${plural(rule.agents, 'agent')}.`),
});
