// Explanation of a rule: its verdict, and the conditions with their numbers.
import type { AlertConditionState, AlertExplanation } from '@quarterdeck/core';
import { explainRule, type RuleRow, ruleName } from '@quarterdeck/views/alerts';
import { clean, shortTime } from '@quarterdeck/views/text';
import { heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { TextDialog } from '../../context/dialog.ts';
import { wrap } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';

/** Columns before the text of a condition. */
const SIGN = 2;

const signOf = ({ met }: AlertConditionState): { readonly text: string; readonly tone: BaseTone } => {
  if (met === null) return { text: '?', tone: 'muted' };
  return met ? { text: '✓', tone: 'good' } : { text: '✖', tone: 'bad' };
};

function conditionLines(condition: AlertConditionState, width: number): Line[] {
  const { text, tone } = signOf(condition);
  return wrap(clean(condition.text), Math.max(1, width - SIGN)).map(
    (row, at): Line => [{ text: at === 0 ? `${text} ` : '  ', tone }, { text: row }],
  );
}

export function explanationLines(
  { fired, verdict, conditions, alerts, why_incomplete: why }: AlertExplanation,
  width: number,
): Line[] {
  return [
    ...paragraph(clean(verdict), width, fired ? 'bad' : 'strong'),
    [],
    ...conditions.flatMap((condition) => conditionLines(condition, width)),
    ...(alerts.length === 0 ? [] : [[], heading('Its alerts then')]),
    ...alerts.flatMap(({ id, state, title }) => paragraph(`#${id} ${state}: ${clean(title)}`, width)),
    ...(why === null ? [] : [[], ...paragraph(clean(why), width, 'warning')]),
  ];
}

/** Reads the explanation of a rule for this moment. */
export async function explanationDialog(
  rule: RuleRow,
  { client, now }: Pick<Dashboard, 'client' | 'now'>,
): Promise<TextDialog> {
  const found = await explainRule(client, rule.id);
  return {
    kind: 'text',
    title: `${ruleName(rule)} · ${shortTime(found.at, now())}`,
    lines: (width) => explanationLines(found, width),
    copy: [found.verdict, ...found.conditions.map(({ text }) => text)].map(clean).join('\n'),
  };
}
