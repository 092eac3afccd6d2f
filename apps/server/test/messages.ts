// Messages for tests of channels.
import type { AlertMessage, Line } from '@quarterdeck/core';
import type { OpenChannel, StoredMessage } from '../src/features/webhook/transports/transport.ts';

/** Text of a log line that attacks every format at once. */
export const HOSTILE_TEXT = [
  'a\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>',
  '<!channel> <@U123> <http://evil.example|click> @everyone @here',
  '[click](http://evil.example) ![x](http://evil.example/x.png) **bold** <at>all</at>',
  '\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link \u202Egnp.exe\u202C \u200B\u2066x\u2069 \0 ``` & "quoted"',
].join(' ');

/** An alert that lasts. */
export const alert: AlertMessage = {
  id: 7,
  rule_id: 3,
  rule: 'Shop errors',
  kind: 'errlog.count',
  key: 'service:shop',
  groups: [17, 18],
  state: 'firing',
  title: 'shop: 340 errors within 5 min',
  detail: { service: 'shop', host: 'web-7', count: 340, level: 4, examples: ['disk is full', { log: 'timed out' }] },
  parent_id: null,
  under: 0,
  messages: 1,
  since: 1_795_421_280,
  fired: 1_795_421_290,
  resolved: null,
  acknowledged: null,
  assigned: null,
  muted_until: null,
  cause: {
    sentence: 'nginx.conf changed on web-7 and web-8, 4 min before; on none of the 38 other agents',
    strength: 'strong',
    change: {
      kind: 'config',
      field: '/etc/nginx/nginx.conf',
      name: '',
      from: '',
      to: '',
      change_id: 0,
      time: 1_795_421_040,
      before: 240,
    },
    link: null,
    why: null,
    settled: false,
    next_look: 1_795_421_320,
  },
  what: { level: 4, service: 'shop', source: 'web-7', text: 'upstream <ip> timed out' },
  counts: { count: 340, from: 1_795_421_280, per_minute: 68, usual: 0.4 },
  hosts: { failing: 2, of: 40, names: ['web-7', 'web-8'] },
  vitals: [],
  lines: [],
  incomplete: [],
  also: [],
  links: {
    alert: 'https://qd.example.org/a/7',
    error: 'https://qd.example.org/e/17',
    change: null,
    runbook: 'https://wiki.example.org/runbooks/shop',
    issue: null,
  },
};

/** A line without text. */
export const LINE: Line = {
  id: '1',
  time: 1_795_421_280,
  level: 4,
  log: '',
  fields: {},
  group: 17,
  src: 1,
  source: 'web-7',
  host: 'web-7',
  service: 'shop',
  app_id: 0,
  req_id: '',
  count: 1,
};

/** Links of an alert on a server that does not know its address. */
export const NO_LINKS: AlertMessage['links'] = { alert: null, error: null, change: null, runbook: null, issue: null };

/** An alert with this text in each part that comes from outside. */
export function hostileAlert(text: string, more: Partial<AlertMessage> = {}): AlertMessage {
  const line = { ...LINE, log: text, host: text, service: text };
  return {
    ...alert,
    title: text,
    rule: text,
    detail: { host: text, service: text, examples: [text] },
    cause: { ...(alert.cause as NonNullable<AlertMessage['cause']>), sentence: text },
    what: { level: 4, service: text, source: text, text },
    hosts: { failing: 9, of: 40, names: Array.from({ length: 9 }, () => text) },
    lines: Array.from({ length: 5 }, (_, i) => ({ ...line, id: String(i), log: `${i}${text}` })),
    incomplete: [text],
    also: [text],
    acknowledged: { time: alert.since, by: text, note: text },
    assigned: { id: 1, username: text },
    ...more,
  };
}

const MESSAGE_MS = 1_795_421_300_000;
export const messageTime = new Date(MESSAGE_MS).toISOString();

/** A stored message with this data. */
export const messageOf = (type: string, data: unknown, messageId = 'msg_1'): StoredMessage => ({
  messageId,
  type,
  createdMs: MESSAGE_MS,
  attempt: 1,
  alertId: type === 'alert.firing' ? 7 : 0,
  body: JSON.stringify({ type, timestamp: messageTime, data }),
});

/** Settings of kinds that need some. */
export const SETTINGS: Partial<Readonly<Record<OpenChannel['kind'], OpenChannel['settings']>>> = {
  ntfy: { token: 'tk_n7fysecret0123456789' },
  telegram: { token: '123456:telegram-secret-0123456789', chat: '-1001234567890' },
  pagerduty: { key: 'pagerdutysecret00000000000000000', callback_secret: 'callback-secret-0123456789' },
  pushover: { token: 'pushovertokensecret00000000000', user: 'pushoverusersecret000000000000' },
  opsgenie: { key: 'opsgenie-secret-0000-0000-000000000000' },
};

/** A channel of this kind. */
export const channelOf = (kind: OpenChannel['kind'], fields: Partial<OpenChannel> = {}): OpenChannel => ({
  id: 1,
  name: 'ops',
  kind,
  url: 'https://hooks.example.org/s3cr3t',
  recipients: [],
  secrets: [],
  settings: SETTINGS[kind] ?? {},
  prefix: '',
  parts: [],
  ...fields,
});
