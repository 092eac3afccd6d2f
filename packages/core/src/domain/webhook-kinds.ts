// Kinds of channels and their settings, without schemas: the command line reads them too.

/** Settings of channels that only some kinds have. */
export const WEBHOOK_SETTINGS = ['token', 'chat', 'key', 'user', 'callback_secret'] as const;
/** Name of such a setting. */
export type WebhookSetting = (typeof WEBHOOK_SETTINGS)[number];

/** One setting of a kind. */
export interface WebhookSettingSpec {
  /** Name for people. */
  readonly label: string;
  /** Form of the value, as the service defines it. */
  readonly pattern: RegExp;
  /** Origin of the value, for people who enter it. */
  readonly hint: string;
  readonly optional?: true;
  /** The value is no secret: answers show it. */
  readonly isShown?: true;
}

/** Settings of a kind of channel. */
export interface WebhookKindSpec {
  readonly help: string;
  /** Address: one that must be given, one of its service with this default, or none. */
  readonly url: 'required' | 'none' | `https://${string}`;
  /** Example of an address. */
  readonly example: string;
  /** The whole address is a secret: whoever knows it may post. Only its host is shown. */
  readonly isSecretUrl?: true;
  /** Path of an address, with the reason for which another one is refused. */
  readonly path?: { readonly pattern: RegExp; readonly message: string };
  /** It gets alerts only, no other events. */
  readonly alertsOnly?: true;
  readonly settings?: Readonly<Partial<Record<WebhookSetting, WebhookSettingSpec>>>;
}

/** Kind of a channel -> its settings. */
export const WEBHOOK_KIND_SPECS = {
  standard: {
    help: 'Signed JSON, as Standard Webhooks define it. The secret is shown once.',
    url: 'required',
    example: 'https://example.org/hook',
  },
  slack: {
    help: 'Messages to an incoming webhook of Slack.',
    url: 'required',
    example: 'https://hooks.slack.com/services/…',
    isSecretUrl: true,
  },
  teams: {
    help: 'Messages to a workflow of Microsoft Teams.',
    url: 'required',
    example: 'https://….webhook.office.com/…',
    isSecretUrl: true,
  },
  alertmanager: {
    help: 'Alerts to Prometheus Alertmanager, which routes them.',
    url: 'required',
    example: 'http://alertmanager:9093/api/v2/alerts',
    alertsOnly: true,
  },
  email: {
    help: 'E-mail through the SMTP server of the settings of this server.',
    url: 'none',
    example: '',
  },
  ntfy: {
    help: 'Notifications of ntfy, on phones and desktops. The topic is the last part of the address.',
    url: 'required',
    example: 'https://ntfy.sh/my-topic',
    isSecretUrl: true,
    path: { pattern: /^\/[-_A-Za-z0-9]{1,64}\/?$/, message: 'must end with a topic, such as https://ntfy.sh/my-topic' },
    settings: {
      token: {
        label: 'Access token',
        pattern: /^[\x21-\x7e]{1,200}$/,
        hint: 'tk_…, where the topic is protected',
        optional: true,
      },
    },
  },
  telegram: {
    help: 'Messages of a Telegram bot to a chat, a group or a channel.',
    url: 'https://api.telegram.org',
    example: 'https://api.telegram.org',
    settings: {
      token: { label: 'Bot token', pattern: /^\d{1,20}:[-_A-Za-z0-9]{20,100}$/, hint: 'of @BotFather: 123456:ABC…' },
      chat: { label: 'Chat', pattern: /^(?:-?\d{1,20}|@\w{1,64})$/, hint: '-1001234567890 or @channel', isShown: true },
    },
  },
  discord: {
    help: 'Messages to a webhook of a channel of Discord.',
    url: 'required',
    example: 'https://discord.com/api/webhooks/…',
    isSecretUrl: true,
    path: {
      pattern: /\/webhooks\/\d+\/[-_A-Za-z0-9]+$/,
      message: 'must end with /webhooks/ID/TOKEN, as Discord shows it',
    },
  },
  pagerduty: {
    help: 'Alerts to a service of PagerDuty, by an integration of the type Events API v2.',
    url: 'https://events.pagerduty.com',
    example: 'https://events.pagerduty.com',
    alertsOnly: true,
    settings: {
      key: { label: 'Integration key', pattern: /^[A-Za-z0-9]{32}$/, hint: '32 letters and digits' },
      callback_secret: {
        label: 'Signing secret',
        pattern: /^[\x21-\x7e]{16,200}$/,
        hint: 'of a V3 webhook, so that acknowledgements come back',
        optional: true,
      },
    },
  },
  pushover: {
    help: 'Notifications of Pushover, on phones and desktops.',
    url: 'https://api.pushover.net',
    example: 'https://api.pushover.net',
    settings: {
      token: { label: 'API token', pattern: /^[A-Za-z0-9]{30}$/, hint: '30 letters and digits, of the application' },
      user: { label: 'User key', pattern: /^[A-Za-z0-9]{30}$/, hint: '30 letters and digits, of the user or group' },
    },
  },
  opsgenie: {
    help: 'Alerts to Opsgenie, by an API integration.',
    url: 'https://api.opsgenie.com',
    example: 'https://api.opsgenie.com, or https://api.eu.opsgenie.com',
    alertsOnly: true,
    settings: {
      key: { label: 'API key', pattern: /^[-A-Za-z0-9]{20,64}$/, hint: 'of the API integration' },
    },
  },
} as const satisfies Record<string, WebhookKindSpec>;

/** Kind of a channel. */
export type WebhookKindName = keyof typeof WEBHOOK_KIND_SPECS;

/** Every kind of channel. */
export const WEBHOOK_KINDS = Object.keys(WEBHOOK_KIND_SPECS) as [WebhookKindName, ...WebhookKindName[]];

/** Settings of a kind, with all of its possible parts. */
export const webhookKind = (kind: WebhookKindName): WebhookKindSpec => WEBHOOK_KIND_SPECS[kind];

/** Address of the service of a kind; undefined where the kind has no address of its own. */
export function defaultUrl(kind: WebhookKindName): string | undefined {
  const { url } = webhookKind(kind);
  return url === 'required' || url === 'none' ? undefined : url;
}

/** Settings that a kind has, in the order in which people enter them. */
export const settingsOf = (kind: WebhookKindName): [WebhookSetting, WebhookSettingSpec][] =>
  Object.entries(webhookKind(kind).settings ?? {}) as [WebhookSetting, WebhookSettingSpec][];

/** Names of settings that are secrets of some kind: they are in no answer, and on no command line. */
export const SECRET_SETTINGS: readonly WebhookSetting[] = WEBHOOK_SETTINGS.filter((name) =>
  WEBHOOK_KINDS.some((kind) => settingsOf(kind).some(([one, { isShown }]) => one === name && isShown !== true)),
);

/** Fields of a channel that depend on its kind. */
export type KindFields = { readonly [Name in WebhookSetting]?: string | undefined } & {
  readonly url?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
};

/**
 * Returns the reasons for which fields are refused by the kind of a channel. `isNew`: those that are required must be
 * given. An empty setting removes one that is optional.
 */
export function kindProblems(
  kind: WebhookKindName,
  fields: KindFields,
  isNew: boolean,
): { path: string; message: string }[] {
  const { url, to, types = [] } = fields;
  const spec = webhookKind(kind);
  const settings = new Map(settingsOf(kind));
  const problems: { path: string; message: string }[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  if (spec.alertsOnly === true && !types.every((type) => type.startsWith('alert.'))) {
    refuse('types', `must be types of alerts only: ${kind} takes no other events`);
  }
  if (kind === 'email') {
    if (isNew && to === undefined) refuse('to', 'is required for email');
  } else if (to !== undefined) refuse('to', 'belongs to email only');
  if (spec.url === 'none') {
    if (url !== undefined) refuse('url', `does not belong to ${kind}`);
  } else if (url === undefined) {
    if (isNew && spec.url === 'required') refuse('url', `is required for ${kind}`);
  } else if (spec.path !== undefined && !(URL.canParse(url) && spec.path.pattern.test(new URL(url).pathname))) {
    refuse('url', spec.path.message);
  }
  for (const name of WEBHOOK_SETTINGS) {
    const value = fields[name];
    const setting = settings.get(name);
    if (setting === undefined) {
      if (value !== undefined) refuse(name, `does not belong to ${kind}`);
    } else if (value === undefined || value === '') {
      const isMissing = setting.optional !== true && (isNew || value === '');
      if (isMissing) refuse(name, `is required for ${kind}`);
    } else if (!setting.pattern.test(value)) refuse(name, `is not the ${setting.label} of ${kind}: ${setting.hint}`);
  }
  return problems;
}

/** Most channels of an installation. */
export const WEBHOOKS_MAX = 200;
