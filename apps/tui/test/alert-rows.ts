// Builders of alerts, rules, channels and deliveries.
import type { Alert, AlertRule, Webhook, WebhookDelivery } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';

const nowS = (): number => Math.floor(Date.now() / 1000);

/** Creates an alert that fires. */
export const alert = (id: number, over: Partial<Alert> = {}): Alert => {
  const words = { rule: 'errors', kind: 'errlog.count', key: `group:${id}`, title: `alert number ${id}` } as const;
  const times = { since: nowS() - 600, fired: nowS() - 590 };
  return build.alert({ id, ...words, ...times, state: 'firing', groups: [], messages: 1, ...over });
};

export const alertRule = (id: number, over: Partial<AlertRule> = {}): AlertRule =>
  build.alertRule({ id, name: `rule-${id}`, enabled: true, when: { kind: 'errlog.new' }, cooldown: 3600, ...over });

/** Creates a channel. */
export const webhook = (id: number, over: Partial<Webhook> = {}): Webhook =>
  build.webhook({ id, name: `channel-${id}`, url: 'https://example.org/hook', enabled: true, ...over });

/** Creates a delivery that succeeded. */
export const delivery = (id: number, over: Partial<WebhookDelivery> = {}): WebhookDelivery => {
  const message = { message_id: `msg_${id}`, type: 'alert.firing', body: { type: 'alert.firing', data: { id } } };
  const times = { created: nowS() - 60, last_attempt: nowS() - 59 };
  return build.webhookDelivery({ id, ...message, ...times, state: 'delivered', attempts: 1, status: 200, ...over });
};
