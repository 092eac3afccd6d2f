// The form of a channel: its fields by kind, and the channel that its values mean. Pure.
import {
  WEBHOOK_KINDS,
  WEBHOOK_TYPES,
  type Webhook,
  WebhookChange,
  WebhookDraft,
  type WebhookKind,
} from '@quarterdeck/core';
import type { Problem, Values } from '../../components/dialog/dialog.ts';
import type { Field } from '../../components/form/form-state.ts';
import { clean } from '../../text/clean.ts';

const NAME_MAX = 200;
const URL_MAX = 2000;
const TO_MAX = 4000;
const FILTER_MAX = 4096;
/** Prefix of the fields that choose events. */
const TYPE = 'type ';

const URL_HINTS: Readonly<Record<WebhookKind, string>> = {
  standard: 'https://example.org/hook',
  slack: 'https://hooks.slack.com/services/…',
  teams: 'https://….webhook.office.com/…',
  alertmanager: 'http://alertmanager:9093/api/v2/alerts',
  email: '',
};

const ABOUT: Readonly<Record<WebhookKind, string>> = {
  standard: 'Signed JSON, as Standard Webhooks define it. The secret is shown once.',
  slack: 'Messages to an incoming webhook of Slack.',
  teams: 'Messages to a workflow of Microsoft Teams.',
  alertmanager: 'Alerts to Prometheus Alertmanager, which routes them.',
  email: 'E-mail through the SMTP server of the settings of this server.',
};

/** Kinds whose address is a secret, of which only the host is shown. */
const isSecretUrl = (kind: string): boolean => kind === 'slack' || kind === 'teams';

const kindOf = (values: Values): WebhookKind => (values['kind'] ?? 'standard') as WebhookKind;

/** The values of a new channel. */
export const NEW_WEBHOOK: Values = { name: '', kind: 'standard', url: '', to: '', events: 'none', filter: '' };

/** The values of a channel that is changed. */
export const webhookValues = ({ name, kind, url, to, types, filter }: Webhook): Values => ({
  name,
  kind,
  url: isSecretUrl(kind) ? '' : (url ?? ''),
  to: to.join(', '),
  events: types.length === 0 ? 'none' : 'some',
  filter,
  ...Object.fromEntries(types.map((type) => [`${TYPE}${type}`, 'yes'])),
});

/** The fields of the form. The kind of a channel stays. */
export function webhookFields(values: Values, isNew: boolean): Field[] {
  const kind = kindOf(values);
  return [
    { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX, hint: 'who reads it' },
    ...(isNew
      ? [
          {
            kind: 'choice',
            name: 'kind',
            label: 'Kind',
            options: WEBHOOK_KINDS.map((value) => ({ value, label: value })),
          } as const,
        ]
      : []),
    kind === 'email'
      ? { kind: 'text', name: 'to', label: 'To', max: TO_MAX, hint: 'on-call@example.org, ops@example.org' }
      : {
          kind: 'text',
          name: 'url',
          label: 'Address',
          max: URL_MAX,
          hint: !isNew && isSecretUrl(kind) ? 'unchanged; it is a secret' : URL_HINTS[kind],
        },
    {
      kind: 'choice',
      name: 'events',
      label: 'Events',
      options: [
        { value: 'none', label: 'only those of rules' },
        { value: 'some', label: 'selected ones too' },
      ],
    },
    ...(values['events'] === 'some'
      ? [
          {
            kind: 'text',
            name: 'filter',
            label: 'Only errors',
            max: FILTER_MAX,
            hint: 'all; or level:error service:checkout',
          } as const,
          ...WEBHOOK_TYPES.map((type): Field => ({ kind: 'check', name: `${TYPE}${type}`, label: '', text: type })),
        ]
      : []),
  ];
}

/** The lines below the form. */
export const webhookMeaning = (values: Values): string[] => [ABOUT[kindOf(values)]];

const typesOf = (values: Values): (typeof WEBHOOK_TYPES)[number][] =>
  values['events'] === 'some' ? WEBHOOK_TYPES.filter((type) => values[`${TYPE}${type}`] === 'yes') : [];

/** The fields that the values mean. An empty address of a channel that is changed stays as it is. */
function partsOf(values: Values) {
  const kind = kindOf(values);
  const of = (name: string): string => (values[name] ?? '').trim();
  const url = of('url');
  return {
    name: of('name'),
    types: typesOf(values),
    filter: values['events'] === 'some' ? of('filter') : '',
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

function problemOf(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): Problem {
  const [issue] = issues;
  const field = String(issue?.path[0] ?? 'name');
  return { field, text: PROBLEMS[field] ?? clean(`${field}: ${issue?.message ?? 'is not right'}.`) };
}

const NO_EVENT: Problem = { field: 'events', text: 'Choose at least one event.' };

const choosesNothing = (values: Values): boolean => values['events'] === 'some' && typesOf(values).length === 0;

/** The channel that the values mean, or the problem of a field. */
export function readWebhook(values: Values): WebhookDraft | Problem {
  const parsed = WebhookDraft.safeParse({ ...partsOf(values), kind: kindOf(values), enabled: true });
  if (!parsed.success) return problemOf(parsed.error.issues);
  return choosesNothing(values) ? NO_EVENT : parsed.data;
}

/** The change that the values mean, or the problem of a field. */
export function readWebhookChange(values: Values): WebhookChange | Problem {
  const parsed = WebhookChange.safeParse(partsOf(values));
  if (!parsed.success) return problemOf(parsed.error.issues);
  return choosesNothing(values) ? NO_EVENT : parsed.data;
}
