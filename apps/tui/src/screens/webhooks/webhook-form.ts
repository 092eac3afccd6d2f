// The form of a channel: its fields by kind, and the channel that its values mean. Pure.

import {
  defaultUrl,
  kindProblems,
  MESSAGE_PARTS,
  type MessagePart,
  settingsOf,
  WEBHOOK_KINDS,
  WEBHOOK_TYPES,
  type Webhook,
  WebhookChange,
  WebhookDraft,
  type WebhookKind,
  webhookKind,
} from '@quarterdeck/core';
import type { Field, Problem, Values } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { choiceField, textField } from '../../components/form/fields.ts';

const NAME_MAX = 200;
const URL_MAX = 2000;
const TO_MAX = 4000;
const FILTER_MAX = 4096;
const SETTING_MAX = 200;
const PREFIX_MAX = 60;
/** Prefixes of the fields that choose events, and parts of messages. */
const TYPE = 'type ';
const PART = 'part ';

const PART_TEXTS: Readonly<Record<MessagePart, string>> = {
  counts: 'how often, against usual',
  hosts: 'the hosts',
  cause: 'the suspected change',
  lines: 'the newest lines',
  facts: 'the rule and other facts',
  links: 'links',
};

const kindOf = (values: Values): WebhookKind => (values['kind'] ?? 'standard') as WebhookKind;

/** The values of a new channel. */
export const NEW_WEBHOOK: Values = {
  name: '',
  kind: 'standard',
  url: '',
  to: '',
  events: 'none',
  filter: '',
  prefix: '',
  parts: 'all',
};

/** The values of a channel that is changed. */
export const webhookValues = ({ name, kind, url, to, types, filter, prefix, parts, chat }: Webhook): Values => ({
  name,
  kind,
  // An address that is a secret, and that of a service, stay unless another one is entered.
  url: webhookKind(kind).isSecretUrl || url === defaultUrl(kind) ? '' : (url ?? ''),
  chat: chat ?? '',
  prefix,
  parts: parts.length === 0 ? 'all' : 'some',
  to: to.join(', '),
  events: types.length === 0 ? 'none' : 'some',
  filter,
  ...Object.fromEntries(types.map((type) => [`${TYPE}${type}`, 'yes'])),
  ...Object.fromEntries(parts.map((part) => [`${PART}${part}`, 'yes'])),
});

const UNCHANGED = 'unchanged; it is a secret';

/** The fields of the address and of the settings that only this kind has. */
function receiverFields(kind: WebhookKind, isNew: boolean): Field[] {
  if (kind === 'email') return [textField('to', 'To', TO_MAX, 'on-call@example.org, ops@example.org')];
  const { example, isSecretUrl } = webhookKind(kind);
  return [
    textField('url', 'Address', URL_MAX, !isNew && isSecretUrl ? UNCHANGED : example),
    ...settingsOf(kind).map(([name, { label, hint: form, isShown }]): Field => {
      const field = textField(name, label, SETTING_MAX, isShown || isNew ? form : UNCHANGED);
      return isShown ? field : { ...field, masked: true };
    }),
  ];
}

const PARTS = { all: 'have all parts', some: 'have selected ones' } as const;
const EVENTS = { none: 'only those of rules', some: 'selected ones too' } as const;

/** The fields of the form. The kind of a channel stays. */
export function webhookFields(values: Values, isNew: boolean): Field[] {
  const kind = kindOf(values);
  const check = (prefix: string, name: string, text: string): Field => ({
    kind: 'check',
    name: `${prefix}${name}`,
    label: '',
    text,
  });
  return [
    textField('name', 'Name', NAME_MAX, 'who reads it'),
    ...(isNew ? [choiceField('kind', 'Kind', WEBHOOK_KINDS)] : []),
    ...receiverFields(kind, isNew),
    textField('prefix', 'Prefix', PREFIX_MAX, 'text before each title'),
    choiceField('parts', 'Messages', ['all', 'some'], (value) => PARTS[value]),
    ...(values['parts'] === 'some' ? MESSAGE_PARTS.map((part) => check(PART, part, PART_TEXTS[part])) : []),
    choiceField('events', 'Events', ['none', 'some'], (value) => EVENTS[value]),
    ...(values['events'] === 'some'
      ? [
          textField('filter', 'Only errors', FILTER_MAX, 'all; or level:error service:checkout'),
          ...typesFor(kind).map((type) => check(TYPE, type, type)),
        ]
      : []),
  ];
}

/** The lines below the form. */
export const webhookMeaning = (values: Values): string[] => [webhookKind(kindOf(values)).help];

/** Types of events that a kind can get. */
const typesFor = (kind: WebhookKind) =>
  WEBHOOK_TYPES.filter((type) => webhookKind(kind).alertsOnly !== true || type.startsWith('alert.'));

const typesOf = (values: Values): (typeof WEBHOOK_TYPES)[number][] =>
  values['events'] === 'some' ? typesFor(kindOf(values)).filter((type) => values[`${TYPE}${type}`] === 'yes') : [];

const messageParts = (values: Values): MessagePart[] =>
  values['parts'] === 'some' ? MESSAGE_PARTS.filter((part) => values[`${PART}${part}`] === 'yes') : [];

/** The fields that the values mean. An empty address or setting of a channel that is changed stays as it is. */
function partsOf(values: Values) {
  const kind = kindOf(values);
  const of = (name: string): string => (values[name] ?? '').trim();
  const url = of('url');
  const settings = settingsOf(kind).flatMap(([name]) => (of(name) === '' ? [] : [[name, of(name)] as const]));
  return {
    name: of('name'),
    types: typesOf(values),
    filter: values['events'] === 'some' ? of('filter') : '',
    prefix: of('prefix'),
    parts: messageParts(values),
    ...Object.fromEntries(settings),
    ...(kind === 'email'
      ? {
          to: of('to')
            .split(/[\s,;]+/)
            .filter((part) => part !== ''),
        }
      : {}),
    ...(kind !== 'email' && url !== '' ? { url } : {}),
  };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  name: 'Enter a name that says who reads the messages.',
  url: 'Enter an http or https address without a password.',
  to: 'Enter one or more e-mail addresses.',
};

type Issues = readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

function problemOf(issues: Issues, kind: WebhookKind): Problem {
  const [issue] = issues;
  const field = String(issue?.path[0] ?? 'name');
  const setting = settingsOf(kind).find(([name]) => name === field)?.[1];
  if (setting !== undefined) return { field, text: `Enter the ${setting.label.toLowerCase()}: ${setting.hint}.` };
  const { path, example } = webhookKind(kind);
  if (field === 'url' && path !== undefined) return { field, text: `Enter an address such as ${example}.` };
  return { field, text: PROBLEMS[field] ?? clean(`${field}: ${issue?.message ?? 'is not right'}.`) };
}

/** A choice of nothing. */
function noChoice(values: Values): Problem | undefined {
  if (values['events'] === 'some' && typesOf(values).length === 0) {
    return { field: 'events', text: 'Choose at least one event.' };
  }
  if (values['parts'] === 'some' && messageParts(values).length === 0) {
    return { field: 'parts', text: 'Choose at least one part.' };
  }
  return undefined;
}

/** The channel that the values mean, or the problem of a field. */
export function readWebhook(values: Values): WebhookDraft | Problem {
  const kind = kindOf(values);
  const parsed = WebhookDraft.safeParse({ ...partsOf(values), kind, enabled: true });
  if (!parsed.success) return problemOf(parsed.error.issues, kind);
  return noChoice(values) ?? parsed.data;
}

/** The change that the values mean, or the problem of a field. */
export function readWebhookChange(values: Values): WebhookChange | Problem {
  const kind = kindOf(values);
  const parsed = WebhookChange.safeParse(partsOf(values));
  if (!parsed.success) return problemOf(parsed.error.issues, kind);
  const problems = kindProblems(kind, parsed.data, false);
  if (problems.length > 0)
    return problemOf(
      problems.map(({ path, message }) => ({ path: [path], message })),
      kind,
    );
  return noChoice(values) ?? parsed.data;
}
