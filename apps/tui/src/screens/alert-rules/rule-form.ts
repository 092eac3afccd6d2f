// The form of a rule: its fields by kind, and the rule that its values mean. Pure.

import {
  ALERT_COOLDOWN_S,
  type AlertChannel,
  type AlertCondition,
  type AlertKind,
  type AlertRule,
  AlertRuleDraft,
  alertKind,
  RESOURCE_LIMITS,
  type Resource,
} from '@quarterdeck/core';
import { conditionText, PER } from '@quarterdeck/views/alerts';
import type { Field, Problem, Values } from '@quarterdeck/views/questions';
import { clean, exactSpan, grouped } from '@quarterdeck/views/text';
import { readAge } from '@quarterdeck/views/times';
import { choiceField, textField } from '../../components/form/fields.ts';

const NAME_MAX = 200;
const FILTER_MAX = 4096;
const SPAN_MAX = 20;
const NUMBER_MAX = 13;
const LINK_MAX = 2000;
/** Prefix of the fields that choose channels. */
const CHANNEL = 'channel ';

const kindOf = (values: Values): AlertKind => (values['kind'] ?? 'errlog.new') as AlertKind;

/** The values of a new rule. An empty text means the default of the kind. */
export const newRuleValues = (kind: AlertKind, channels: readonly AlertChannel[]): Values => ({
  name: '',
  kind,
  count: '',
  within: '',
  per: '',
  resource: '',
  filter: '',
  for: '',
  cooldown: '',
  repeat: '',
  runbook: '',
  issue: '',
  // The only channel is meant.
  ...(channels.length === 1 ? { [`${CHANNEL}${channels[0]?.id}`]: 'yes' } : {}),
});

/** The values of a rule that is changed. */
export const ruleValues = (rule: AlertRule): Values => ({
  name: rule.name,
  kind: rule.when.kind,
  count: rule.when.count === undefined ? '' : String(rule.when.count),
  within: rule.when.within === undefined ? '' : exactSpan(rule.when.within),
  per: rule.when.per ?? '',
  resource: rule.when.resource ?? '',
  filter: rule.filter,
  for: rule.for === 0 ? '' : exactSpan(rule.for),
  cooldown: rule.cooldown === ALERT_COOLDOWN_S ? '' : exactSpan(rule.cooldown) || '0',
  repeat: exactSpan(rule.repeat),
  runbook: rule.runbook,
  issue: rule.issue,
  ...Object.fromEntries(rule.channels.map((id) => [`${CHANNEL}${id}`, 'yes'])),
});

const channelFields = (channels: readonly AlertChannel[]): Field[] =>
  channels.map(({ id, name, kind, enabled }, index) => ({
    kind: 'check',
    name: `${CHANNEL}${id}`,
    label: index === 0 ? 'Channels' : '',
    text: clean(`${name} (${kind}${enabled ? '' : ', disabled'})`),
  }));

const FILTER_HINTS = {
  line: 'all; or level:error service:checkout',
  agent: 'all; or site:north env:host',
} as const;

/**
 * The fields of the form: only the settings that the kind has, with their defaults as hints. `kinds` are those that the
 * user may choose.
 */
export function ruleFields(values: Values, channels: readonly AlertChannel[], kinds: readonly AlertKind[]): Field[] {
  const { count, within, per, resources, filter, ends } = alertKind(kindOf(values));
  return [
    textField('name', 'Name', NAME_MAX, 'what it is about, such as payments fail'),
    choiceField('kind', 'Kind', kinds),
    ...(resources === undefined ? [] : [choiceField('resource', 'Resource', resources)]),
    ...(count === undefined ? [] : [textField('count', 'More than', NUMBER_MAX, countHint(values))]),
    ...(within === undefined ? [] : [textField('within', 'Within', SPAN_MAX, exactSpan(within.default))]),
    ...(per === undefined ? [] : [choiceField('per', 'For each', per, (value) => PER[value])]),
    ...(filter === undefined ? [] : [textField('filter', 'Only', FILTER_MAX, FILTER_HINTS[filter])]),
    ...(ends ? [textField('for', 'Must last', SPAN_MAX, 'no time; or 5m')] : []),
    textField('cooldown', 'Cooldown', SPAN_MAX, `${exactSpan(ALERT_COOLDOWN_S)} between two messages about one cause`),
    textField('repeat', 'Repeat', SPAN_MAX, 'never; or 1h, until acknowledged'),
    ...channelFields(channels),
    textField('runbook', 'Runbook', LINK_MAX, 'none; or https://wiki.example.org/{service}'),
    textField('issue', 'New issue', LINK_MAX, 'none; or https://git.example.org/new?title={title}'),
  ];
}

const resourceOf = (values: Values): Resource | undefined => {
  const { resources } = alertKind(kindOf(values));
  return resources?.find((one) => one === values['resource']) ?? resources?.[0];
};

/** The default of the number that is exceeded. */
function countHint(values: Values): string {
  const resource = resourceOf(values);
  if (resource !== undefined) return `${RESOURCE_LIMITS[resource]} %`;
  return grouped(alertKind(kindOf(values)).count?.default ?? 0);
}

/** Seconds of a typed duration; undefined for another text. */
function readSpan(text: string): number | undefined {
  const trimmed = text.trim();
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : readAge(trimmed);
}

const readNumber = (text: string): number | undefined =>
  /^[\d,]+$/.test(text.trim()) ? Number(text.replaceAll(',', '')) : undefined;

/** Messages about fields that are not readable. */
const UNREADABLE: Readonly<Record<string, string>> = {
  count: 'Enter a number, such as 100.',
  within: 'Enter a duration, such as 5m or 1h30m.',
  for: 'Enter a duration, such as 5m, or leave it empty.',
  cooldown: 'Enter a duration, such as 1h, or 0 for a message each time.',
  repeat: 'Enter a duration, such as 1h, or leave it empty for never.',
};

const channelIds = (values: Values, channels: readonly AlertChannel[]): number[] =>
  channels.map(({ id }) => id).filter((id) => values[`${CHANNEL}${id}`] === 'yes');

/** The rule that the values mean, or the problem of a field. */
export function readRule(values: Values, channels: readonly AlertChannel[]): AlertRuleDraft | Problem {
  const kind = kindOf(values);
  const spec = alertKind(kind);
  const of = (name: string): string => (values[name] ?? '').trim();
  const unreadable = (field: string): Problem => ({ field, text: UNREADABLE[field] ?? '' });
  if (of('name') === '') return { field: 'name', text: 'Enter a name; messages start with it.' };
  const resource = resourceOf(values);
  const when: AlertCondition = { kind, ...(resource && { resource }) };
  if (spec.count !== undefined && of('count') !== '') {
    const count = readNumber(of('count'));
    if (count === undefined) return unreadable('count');
    when.count = count;
  }
  if (spec.within !== undefined && of('within') !== '') {
    const within = readSpan(of('within'));
    if (within === undefined) return unreadable('within');
    when.within = within;
  }
  const per = spec.per?.find((one) => one === of('per')) ?? spec.per?.[0];
  if (per !== undefined) when.per = per;
  const lasting = spec.ends && of('for') !== '' ? readSpan(of('for')) : 0;
  if (lasting === undefined) return unreadable('for');
  const cooldown = of('cooldown') === '' ? ALERT_COOLDOWN_S : readSpan(of('cooldown'));
  if (cooldown === undefined) return unreadable('cooldown');
  const repeat = of('repeat') === '' ? 0 : readSpan(of('repeat'));
  if (repeat === undefined) return unreadable('repeat');
  const parsed = AlertRuleDraft.safeParse({
    name: of('name'),
    when,
    filter: spec.filter === undefined ? '' : of('filter'),
    for: lasting,
    cooldown,
    repeat,
    channels: channelIds(values, channels),
    runbook: of('runbook'),
    issue: of('issue'),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { field: String(issue?.path.at(-1) ?? 'name'), text: fieldText(issue?.path.at(-1), issue?.message ?? '') };
}

const LABELS: Readonly<Record<string, string>> = {
  within: 'Within',
  filter: 'Only',
  count: 'More than',
  for: 'Must last',
  cooldown: 'Cooldown',
  repeat: 'Repeat',
  runbook: 'Runbook',
  issue: 'New issue',
};

const fieldText = (field: unknown, message: string): string =>
  clean(`${LABELS[String(field)] ?? String(field)}: ${message}.`.replace(/\.\.$/, '.'));

/** The meaning of the values in words; empty while they are not readable. */
export function ruleMeaning(values: Values, channels: readonly AlertChannel[]): string[] {
  const kind = kindOf(values);
  const { count, within, help } = alertKind(kind);
  const rule = readRule({ ...values, name: 'any' }, channels);
  if ('field' in rule) return [`${kind}: ${help}.`];
  const { resource } = rule.when;
  const usual = resource === undefined ? count?.default : RESOURCE_LIMITS[resource];
  const when = { count: usual, within: within?.default, ...rule.when };
  return [`Fires on ${conditionText({ ...rule, when })}.`];
}
