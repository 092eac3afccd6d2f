// Nouns of files, as a table with the schemas of the contract, so that new fields come by themselves. Add a noun by
// adding its row.
import {
  AlertCondition,
  AlertRule,
  AlertRuleChange,
  AlertRuleDraft,
  alertKind,
  defaultUrl,
  Enrollment,
  EnrollmentChange,
  EnrollmentDraft,
  NO_ROLE,
  TrustRule,
  TrustRuleChange,
  TrustRuleDraft,
  User,
  UserChange,
  UserDraft,
  Webhook,
  WebhookChange,
  WebhookDraft,
  type WebhookKind,
  webhookKind,
} from '@quarterdeck/core';
import type * as z from 'zod';
import type { EndpointName, Values } from '../command/command.ts';
import { isSame } from './same.ts';

/** A kind of entries. */
export interface Noun {
  /** One entry in messages. */
  readonly unit: string;
  /** Comment at the head of an exported file. */
  readonly about: string;
  /** Fields of an entry in files, as those of its creation. */
  readonly draft: z.ZodObject;
  /** Fields that answers show. Those of the draft that are missing here are secrets. */
  readonly view: z.ZodObject;
  /** Fields that can change after the creation. */
  readonly change: z.ZodObject;
  /** Field with the name of an entry, which is the name of its table. */
  readonly nameField: string;
  readonly endpoints: {
    readonly list: EndpointName;
    readonly get: EndpointName;
    readonly update: EndpointName;
    readonly create?: EndpointName;
    readonly remove?: EndpointName;
  };
  /** Command that creates an entry, for nouns that need a person to do so: a password or secret comes with it. */
  readonly createdBy?: (name: string, fields: Values) => string;
  /** Field with ids of channels, which files call by their names. */
  readonly channelsField?: string;
  /** Leaves out rows that files cannot describe. */
  readonly describes?: (row: Values) => boolean;
  /** Leaves out entries that files can change, and not describe as they are. */
  readonly isExported?: (fields: Values) => boolean;
  /** Completes fields with the defaults that the server has. */
  readonly complete?: (fields: Values) => Values;
  /** True for a field that answers show in part. */
  readonly isPartlyShown?: (field: string, fields: Values) => boolean;
  /** Permissions of an exported file. */
  readonly mode: number;
  /** Changes of it may take rights from the caller, so that they come last. */
  readonly isLast?: true;
}

/** A condition with the defaults of its kind, which answers always have. */
function completeCondition(fields: Values): Values {
  const when = fields['when'] as AlertCondition | undefined;
  if (when === undefined) return fields;
  const spec = alertKind(when.kind) as unknown as Values;
  const full = Object.keys(AlertCondition.shape).map((name) => {
    const setting = spec[name] as { default?: unknown } | readonly unknown[] | undefined;
    const usual = Array.isArray(setting) ? setting[0] : (setting as { default?: unknown } | undefined)?.default;
    return [name, (when as Values)[name] ?? usual] as const;
  });
  return { ...fields, when: Object.fromEntries(full.filter(([, value]) => value !== undefined)) };
}

const words = (text: string): string => (/^[\w.,=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Every noun by the name of its tables, in the order in which entries are created and changed. */
export const NOUNS = {
  channels: {
    unit: 'channel',
    about: 'Channels that alerts and events are sent to.',
    draft: WebhookDraft,
    view: Webhook,
    change: WebhookChange,
    nameField: 'name',
    endpoints: {
      list: 'webhook.list',
      get: 'webhook.get',
      update: 'webhook.update',
      create: 'webhook.create',
      remove: 'webhook.remove',
    },
    complete(fields) {
      const url = fields['url'] ?? defaultUrl(fields['kind'] as WebhookKind);
      return url === undefined ? fields : { ...fields, url };
    },
    isPartlyShown: (field, { kind }) => field === 'url' && webhookKind(kind as WebhookKind)?.isSecretUrl === true,
    // The address of a receiver of one's own may have a secret that the server does not know as one.
    mode: 0o600,
  },
  alerts: {
    unit: 'rule',
    about: 'Rules of alerts. `channels` are names of channels.',
    draft: AlertRuleDraft,
    view: AlertRule,
    change: AlertRuleChange,
    nameField: 'name',
    endpoints: {
      list: 'alert.list',
      get: 'alert.get',
      update: 'alert.update',
      create: 'alert.create',
      remove: 'alert.remove',
    },
    channelsField: 'channels',
    complete: completeCondition,
    mode: 0o644,
  },
  enrollments: {
    unit: 'enrollment token',
    about: 'Labels of the agents that enrollment tokens register, by the names of the tokens.',
    draft: EnrollmentDraft.pick({ name: true, labels: true }),
    view: Enrollment,
    change: EnrollmentChange,
    nameField: 'name',
    endpoints: { list: 'enrollment.list', get: 'enrollment.get', update: 'enrollment.update' },
    createdBy(name, { labels }) {
      const pairs = Object.entries((labels ?? {}) as Readonly<Record<string, string>>).map((pair) => pair.join('='));
      return `quarterdeck enroll create --name ${words(name)}${pairs.length === 0 ? '' : ` --labels ${words(pairs.join(','))}`}`;
    },
    // Tokens without a name cannot be called, and those that register nobody any more need no labels.
    describes: ({ name, state }) => name !== '' && state === 'active',
    mode: 0o644,
  },
  trust: {
    unit: 'trust rule',
    about: 'Trust rules: jobs that get an API token for an id token of their issuer.',
    draft: TrustRuleDraft,
    view: TrustRule,
    change: TrustRuleChange,
    nameField: 'name',
    endpoints: {
      list: 'trust.list',
      get: 'trust.get',
      update: 'trust.update',
      create: 'trust.create',
      remove: 'trust.remove',
    },
    // Rules without a name cannot be called.
    describes: ({ name }) => name !== '',
    mode: 0o644,
  },
  users: {
    unit: 'user',
    about: 'Roles of users. Passwords are never in files.',
    draft: UserDraft.pick({ username: true, role: true }),
    view: User,
    change: UserChange,
    nameField: 'username',
    endpoints: { list: 'user.list', get: 'user.get', update: 'user.update' },
    createdBy: (name, { role }) => `quarterdeck users create --username ${words(name)} --role ${String(role)}`,
    // Nobody can be given the role of those who have none yet.
    isExported: ({ role }) => role !== NO_ROLE,
    mode: 0o644,
    isLast: true,
  },
} as const satisfies Readonly<Record<string, Noun>>;

/** Name of the tables of a noun. */
export type NounName = keyof typeof NOUNS;

/** Names of all nouns, in the order of {@link NOUNS}. */
export const NOUN_NAMES = Object.keys(NOUNS) as NounName[];

/** A noun with all of its possible parts. */
export const nounOf = (name: NounName): Noun => NOUNS[name];

/** Fields of an entry beside its name. */
export const fieldsOfNoun = ({ draft, nameField }: Noun): string[] =>
  Object.keys(draft.shape).filter((field) => field !== nameField);

/** True for a field whose value answers do not show, or only in part. */
export const isHidden = ({ view, isPartlyShown }: Noun, field: string, fields: Values): boolean =>
  !(field in view.shape) || isPartlyShown?.(field, fields) === true;

/** True for a value that a field of an entry has as well where a file does not have the field. */
export function isUsual({ draft, complete }: Noun, field: string, fields: Values): boolean {
  const value = fields[field];
  const usual = (draft.shape[field] as z.ZodType | undefined)?.safeParse(undefined);
  if (usual?.success === true && isSame(usual.data, value)) return true;
  const { [field]: _own, ...others } = fields;
  return complete !== undefined && isSame(complete(others)[field], value);
}
