// Webhooks: channels that messages go to, and their deliveries (wire contract section 11).
import * as z from 'zod';
import { PERMISSIONS } from '../auth/permissions.ts';
import { EVENT_TYPES, type EventType, TYPES_BY_NAME } from './event.ts';
import { FilterText } from './filter.ts';
import { isHttpTarget, nameText, text, UnixFraction } from './primitives.ts';
import { WebhookKind } from './webhook-kind.ts';
import { kindProblems, WEBHOOK_SETTINGS, type WebhookSetting } from './webhook-kinds.ts';

/** Types of events that a channel can get without a rule. */
export const WEBHOOK_TYPES = EVENT_TYPES.filter((type) => !TYPES_BY_NAME.includes(type)) as [
  WebhookEventType,
  ...WebhookEventType[],
];
/** Type of an event that a channel can get without a rule. */
export type WebhookEventType = Exclude<EventType, 'line' | 'line.missed'>;

const RECIPIENTS_MAX = 50;

/** Address of one recipient. */
const Recipient = z
  .email()
  .max(254)
  .meta({ examples: ['oncall@example.org'] });

/** Address of a channel: http or https, without user and password, and with a port that can be connected to. */
const WebhookUrl = text(2000).refine(isHttpTarget, {
  message: 'must be an http or https URL without a password, and not with port 0',
});

const EventTypeName = z.enum(WEBHOOK_TYPES);

/** Parts of a message that a channel can do without. The title, and what happened to the alert, are always there. */
export const MESSAGE_PARTS = ['counts', 'hosts', 'cause', 'lines', 'facts', 'links'] as const;
export const MessagePart = z.enum(MESSAGE_PARTS);
export type MessagePart = z.infer<typeof MessagePart>;

const PREFIX_MAX = 60;
const SETTING_MAX = 200;

/** A setting that only some kinds have. Its form is checked by the kind, and no message about it repeats it. */
const setting = (description: string) =>
  z
    .string()
    .max(SETTING_MAX)
    .optional()
    .meta({ description: `${description}; an empty one removes it` });

const webhookFields = {
  name: nameText(200).min(1),
  kind: WebhookKind,
  url: WebhookUrl.optional().meta({
    description: 'Address of the receiver, or of the service where that is not its own; not for email',
  }),
  to: z.array(Recipient).min(1).max(RECIPIENTS_MAX).optional().meta({ description: 'Recipients of email' }),
  types: z.array(EventTypeName).max(EVENT_TYPES.length).meta({ description: 'Events that it gets without a rule' }),
  filter: z
    .union([z.literal(''), FilterText])
    .meta({ description: 'Narrows the events about errors, in the filter language' }),
  enabled: z.boolean(),
  prefix: nameText(PREFIX_MAX).meta({ description: 'Text before the title of each message' }),
  parts: z.array(MessagePart).max(MESSAGE_PARTS.length).meta({ description: 'Parts that messages have; empty = all' }),
  token: setting('Secret of ntfy, telegram and pushover'),
  chat: setting('Chat of telegram'),
  key: setting('Secret of pagerduty and opsgenie'),
  user: setting('Secret user key of pushover'),
  callback_secret: setting('Secret that signs the requests of pagerduty to the callback'),
} satisfies Record<string, z.ZodType> & Record<WebhookSetting, z.ZodType>;

/** A channel to be created. */
export const WebhookDraft = z
  .object({
    ...webhookFields,
    kind: webhookFields.kind.default('standard'),
    types: webhookFields.types.default([]),
    filter: webhookFields.filter.default(''),
    enabled: webhookFields.enabled.default(true),
    prefix: webhookFields.prefix.default(''),
    parts: webhookFields.parts.default([]),
  })
  .superRefine((draft, context) => {
    for (const { path, message } of kindProblems(draft.kind, draft, true)) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .meta({
    examples: [
      { name: 'ops', url: 'https://example.org/hooks/ops' },
      {
        name: 'ops',
        kind: 'standard',
        url: 'https://example.org/hooks/ops',
        types: ['errlog.new', 'agent.outage'],
        filter: 'level:>=error service:shop',
        enabled: true,
        prefix: '[shop]',
        parts: ['counts', 'hosts', 'cause', 'links'],
      },
      { name: 'on call', kind: 'telegram', token: '123456:EXAMPLE-of-a-token-of-a-bot', chat: '-1001234567890' },
    ],
  });
export type WebhookDraft = z.infer<typeof WebhookDraft>;

/** Changes of a channel; what is absent stays, and its kind stays always. */
export const WebhookChange = z
  .object(webhookFields)
  .omit({ kind: true })
  .partial()
  .meta({ examples: [{ enabled: false }, { name: 'ops', types: ['agent.outage'], enabled: true }] });
export type WebhookChange = z.infer<typeof WebhookChange>;

/** A channel without its secrets. */
export const Webhook = z.object({
  id: z.int(),
  name: z.string(),
  kind: WebhookKind,
  url: z.string().nullable().meta({
    description: 'Of slack, teams, ntfy and discord only the host: the rest is a secret; null for email',
  }),
  to: z.array(z.string()),
  types: z.array(z.string()),
  filter: z.string(),
  enabled: z.boolean(),
  prefix: z.string(),
  parts: z.array(MessagePart),
  chat: z.string().nullable().meta({ description: 'Chat of telegram' }),
  secrets: z.array(z.enum(WEBHOOK_SETTINGS)).meta({ description: 'Names of its secret settings, which no answer has' }),
  withheld: z.array(z.string()).meta({
    description: 'Types of `types` that it does not get, because the user who chose them has lost a right',
  }),
  waiting: z.int().meta({ description: 'Deliveries that wait' }),
  dead: z.int().meta({ description: 'Deliveries that were given up' }),
  failing_since: UnixFraction.nullable().meta({
    description: 'Time since which nothing was delivered; null = it works',
  }),
  gone_since: UnixFraction.nullable().meta({
    description:
      'Time at which the receiver answered 410, which disabled the channel; null = a change of `enabled` ended it',
  }),
  rules: z.int().meta({ description: 'Rules that send to it' }),
  created: UnixFraction,
  created_by: z.string(),
  modified: UnixFraction,
});
export type Webhook = z.infer<typeof Webhook>;

/** A channel with the secret that signs its messages, once; null where its kind has none. */
export const NewWebhook = Webhook.extend({
  secret: z.string().nullable().meta({ description: 'whsec_..., as in Standard Webhooks' }),
});
export type NewWebhook = z.infer<typeof NewWebhook>;

/** Maximum seconds for which the old secret signs as well after a rotation. */
const GRACE_MAX_S = 30 * 86_400;

/** Rotation of the secret of a channel. */
export const WebhookRotation = z.object({
  grace: z.int().min(0).max(GRACE_MAX_S).nullish().meta({
    description: 'Seconds for which messages are signed with the old secret as well; default 0',
  }),
});
export type WebhookRotation = z.infer<typeof WebhookRotation>;

/** `waiting`: for its first attempt or the next one. `dead`: given up; it can be sent again. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const;
export const DeliveryState = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** Maximum number of deliveries on a page: each has its message. */
export const DELIVERY_PAGE_MAX = 500;

/** One message to one channel. */
export const WebhookDelivery = z.object({
  id: z.int(),
  message_id: z.string().meta({ description: 'The same in each attempt: receivers drop what they know' }),
  type: z.string(),
  state: DeliveryState,
  attempts: z.int(),
  created: UnixFraction,
  next_attempt: UnixFraction.nullable(),
  last_attempt: UnixFraction.nullable(),
  status: z.int().nullable().meta({ description: 'HTTP status of the last answer' }),
  error: z.string().meta({ description: 'Why the last attempt failed; empty = it did not' }),
  answer: z.string().meta({ description: 'Answer of the receiver to a test message that it took, in short' }),
  body: z.record(z.string(), z.unknown()).meta({ description: 'The message; empty where `needs` is set' }),
  needs: z
    .enum(PERMISSIONS)
    .nullable()
    .meta({ description: 'Permission to read the message, which the caller lacks; null = it is shown' }),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
