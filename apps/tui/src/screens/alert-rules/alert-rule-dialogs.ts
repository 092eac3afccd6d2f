// The dialogs of the rules as data: kind, create, edit, preview, test, toggle, delete.

import {
  ALERT_KIND_NAMES,
  type AlertChannel,
  type AlertConditionState,
  type AlertExplanation,
  type AlertPreview,
  type AlertRule,
  type AlertRuleDraft,
  alertKind,
  readableKinds,
} from '@quarterdeck/core';
import {
  conditionText,
  createRule,
  explainRule,
  previewRule,
  type RuleRow,
  removeRule,
  ruleName,
  testRule,
  updateRule,
} from '@quarterdeck/views/alerts';
import { failureOf } from '@quarterdeck/views/failures';
import { type ChooseDialog, confirmEach, type QuestionContext, type Values } from '@quarterdeck/views/questions';
import { clean, momentText, plural, shortTime } from '@quarterdeck/views/text';
import { heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog, FormDialog, TextDialog } from '../../context/dialog.ts';
import { cut, wrap } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { newRuleValues, readRule, ruleFields, ruleMeaning, ruleValues } from './rule-form.ts';

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

function explanationLines(
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

/** Examples that the preview shows. */
const EXAMPLES_MAX = 6;
/** Columns of the title of an example, which then takes one row. */
const EXAMPLE_MAX = 56;

/** Context of the dialogs of rules. */
export interface RuleContext extends QuestionContext, Pick<Dashboard, 'open'> {
  readonly channels: readonly AlertChannel[];
}

/** A rule to be stored, and how. */
interface Saving {
  readonly title: string;
  readonly submit: string;
  readonly values: Values;
  readonly save: (rule: AlertRuleDraft) => Promise<string>;
}

/** `164 messages`, or `164 messages about 12 subjects` where some come again. */
const messagesText = (fired: number, causes: number): string =>
  `${plural(fired, 'message')}${fired === causes ? '' : ` about ${plural(causes, 'subject')}`}`;

/** The result of a preview in sentences. */
function previewLines(
  { fired, causes, examples, complete, why_incomplete: why }: AlertPreview,
  nowMs: number,
): string[] {
  return [
    fired === 0
      ? 'In the last 24 hours it would have sent nothing.'
      : `In the last 24 hours it would have sent ${messagesText(fired, causes)}:`,
    ...examples
      .slice(0, EXAMPLES_MAX)
      .map(
        ({ time, title, key }) =>
          `  ${momentText(time, nowMs)}  ${cut(clean(title.slice(0, 300)) || clean(key), EXAMPLE_MAX)}`,
      ),
    ...(examples.length > EXAMPLES_MAX || fired > examples.length ? ['  …'] : []),
    ...(complete ? [] : [`Not all of the time was examined: ${clean(why ?? 'the search ended early')}.`]),
  ];
}

function channelsLine({ channels: ids }: AlertRuleDraft, channels: readonly AlertChannel[]): string {
  if (ids.length === 0) return 'It has no channel: its alerts show only here and in events.';
  const names = ids.map((id) => channels.find((one) => one.id === id)?.name ?? `#${id}`);
  return `It sends to ${clean(names.join(', '))}.`;
}

/** Reads the preview of a rule. A failure of it does not keep the rule from being saved; a refusal does. */
async function readPreview({ client, now }: RuleContext, rule: AlertRuleDraft): Promise<string[]> {
  try {
    return previewLines(await previewRule(client, rule), now());
  } catch (error) {
    const { kind, message } = failureOf(error);
    if (kind === 'refused' || kind === 'unauthorized') throw error;
    return [`The preview failed: ${message}`];
  }
}

/** The form of a rule. Enter shows the preview, and Enter again saves. */
function ruleForm(context: RuleContext, saving: Saving): FormDialog {
  const { channels } = context;
  const { title, submit, values: initial, save } = saving;
  // A rule of another kind is refused only where it is saved.
  const kinds = ALERT_KIND_NAMES.filter(
    (kind) => kind === initial['kind'] || readableKinds(context.me.permissions).includes(kind),
  );
  return {
    kind: 'form',
    title,
    submit: 'preview it',
    initial,
    fields: (values) => ruleFields(values, channels, kinds),
    check(values) {
      const rule = readRule(values, channels);
      return 'field' in rule ? rule : null;
    },
    preview: (values) => ruleMeaning(values, channels),
    async run(values) {
      const rule = readRule(values, channels);
      if ('field' in rule) return undefined;
      const lines = await readPreview(context, rule);
      return {
        kind: 'form',
        title: `${title}: ${clean(rule.name)}`,
        submit,
        initial: {},
        fields: () => [],
        preview: () => [...ruleMeaning(values, channels), ...lines, channelsLine(rule, channels)],
        back: () => ruleForm(context, { ...saving, values }),
        run: () => save(rule),
      };
    },
  };
}

/** Creates a rule: first its kind. */
export const createDialog = (context: RuleContext): ChooseDialog => ({
  kind: 'choose',
  title: 'New rule: kind',
  choices: readableKinds(context.me.permissions).map((kind) => ({
    id: kind,
    text: `${kind}: ${alertKind(kind).help}`,
  })),
  onTake({ id }) {
    const kind = readableKinds(context.me.permissions).find((name) => name === id) ?? 'errlog.new';
    context.open(
      ruleForm(context, {
        title: 'New rule',
        submit: 'create it',
        values: newRuleValues(kind, context.channels),
        async save(rule) {
          const { id: made, name } = await createRule(context.client, rule);
          context.refresh();
          context.select(made);
          return `Created ${clean(name)}.`;
        },
      }),
    );
  },
});

const changeOf = (rule: AlertRule | AlertRuleDraft) => {
  const { name, when, filter, for: forS, cooldown, repeat, channels, runbook, issue } = rule;
  return {
    name,
    when,
    filter,
    for: forS,
    cooldown,
    repeat,
    channels,
    runbook,
    issue,
  };
};

export function editDialog(rule: AlertRule, context: RuleContext): FormDialog {
  const { client, refresh, recordUndo } = context;
  return ruleForm(context, {
    title: 'Change rule',
    submit: 'save it',
    values: ruleValues(rule),
    async save(draft) {
      await updateRule(client, rule.id, changeOf(draft));
      refresh();
      return recordUndo(`Changed ${clean(draft.name)}.`, () =>
        updateRule(client, rule.id, changeOf(rule)).finally(refresh),
      );
    },
  });
}

/** Sends a test message to the channels of a rule. */
export function testDialog(rule: RuleRow, { client, refresh }: RuleContext): ConfirmDialog {
  return {
    kind: 'confirm',
    title: 'Send a test message?',
    lines: [`${ruleName(rule)} sends a message of the type alert.test to ${clean(rule.channelNames.join(', '))}.`],
    yes: 'Send it',
    async run() {
      const sent = await testRule(client, rule.id);
      refresh();
      return `Sent a test message to ${plural(sent.length, 'channel')}.`;
    },
  };
}

/** Disables rules, or enables them. */
export function toggleDialog(rules: readonly AlertRule[], enable: boolean, context: RuleContext): ConfirmDialog {
  const verbs = enable ? { verb: 'Enable', done: 'Enabled' } : { verb: 'Disable', done: 'Disabled' };
  return {
    ...confirmEach(rules, { ...verbs, noun: 'rule', name: ruleName }, context, ({ id }) =>
      updateRule(context.client, id, { enabled: enable }),
    ),
    typed: undefined,
    lines: [
      ...rules.map(ruleName),
      enable ? 'It sends what happens from now on.' : 'Nothing is sent while it is disabled.',
    ],
  };
}

export function removeDialog(rules: readonly AlertRule[], context: RuleContext): ConfirmDialog {
  return {
    ...confirmEach(rules, { verb: 'Delete', done: 'Deleted', noun: 'rule', name: ruleName }, context, ({ id }) =>
      removeRule(context.client, id),
    ),
    lines: [
      ...rules.map((rule) => `${ruleName(rule)}: ${conditionText(rule)}.`),
      'Its alerts are deleted too; no messages are sent of their ends. This cannot be undone.',
    ],
  };
}
