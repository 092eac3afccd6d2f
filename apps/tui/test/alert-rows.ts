// Builders of alerts, rules, channels and deliveries.
import type { Alert, AlertRule, Webhook, WebhookDelivery } from '@quarterdeck/core';

const nowS = (): number => Math.floor(Date.now() / 1000);

/** Creates an alert that fires. */
export const alert = (id: number, over: Partial<Alert> = {}): Alert => ({
  id,
  rule_id: 1,
  rule: 'errors',
  kind: 'errlog.count',
  cause: `group:${id}`,
  state: 'firing',
  title: `alert number ${id}`,
  detail: {},
  parent_id: null,
  under: 0,
  messages: 1,
  since: nowS() - 600,
  fired: nowS() - 590,
  resolved: null,
  ...over,
});

/** Creates a rule. */
export const alertRule = (id: number, over: Partial<AlertRule> = {}): AlertRule => ({
  id,
  name: `rule-${id}`,
  enabled: true,
  when: { kind: 'errlog.new' },
  filter: '',
  for: 0,
  cooldown: 3600,
  channels: [],
  firing: 0,
  last_fired: null,
  created: nowS() - 60,
  created_by: 'admin',
  modified: nowS() - 60,
  ...over,
});

/** Creates a channel. */
export const webhook = (id: number, over: Partial<Webhook> = {}): Webhook => ({
  id,
  name: `channel-${id}`,
  kind: 'standard',
  url: 'https://example.org/hook',
  to: [],
  types: [],
  filter: '',
  enabled: true,
  waiting: 0,
  dead: 0,
  failing_since: null,
  rules: 0,
  created: nowS() - 60,
  created_by: 'admin',
  modified: nowS() - 60,
  ...over,
});

/** Creates a delivery that succeeded. */
export const delivery = (id: number, over: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id,
  message_id: `msg_${id}`,
  type: 'alert.firing',
  state: 'delivered',
  attempts: 1,
  created: nowS() - 60,
  next_attempt: null,
  last_attempt: nowS() - 59,
  status: 200,
  error: '',
  body: { type: 'alert.firing', data: { id } },
  ...over,
});
