// Messages for tests of channels.
import type { AlertMessage } from '@quarterdeck/core';
import type { OpenChannel, StoredMessage } from '../src/features/webhook/transport.ts';

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

/** A stored message with this data. */
export const messageOf = (type: string, data: unknown, messageId = 'msg_1'): StoredMessage => ({
  messageId,
  type,
  createdMs: 1_795_421_300_000,
  attempt: 1,
  body: JSON.stringify({ type, timestamp: '2026-11-23T05:28:20.000Z', data }),
});

/** A channel of this kind. */
export const channelOf = (kind: OpenChannel['kind'], fields: Partial<OpenChannel> = {}): OpenChannel => ({
  id: 1,
  name: 'ops',
  kind,
  url: 'https://hooks.example.org/s3cr3t',
  recipients: [],
  secrets: [],
  ...fields,
});
