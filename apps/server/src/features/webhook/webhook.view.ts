// Channels as answers show them: without secrets.
import { type MessagePart, SECRET_SETTINGS, type Webhook, type WebhookKind, webhookKind } from '@quarterdeck/core';
import type { SecretKey } from '../../auth/secrets.ts';
import type { WebhookCounts, WebhookRow } from './webhook.repo.ts';
import { openSettings, openUrl, type Settings } from './webhook.secrets.ts';

/** Returns the part of an address that is no secret. */
export const shownUrl = (kind: WebhookKind, url: string): string =>
  webhookKind(kind).isSecretUrl ? new URL(url).origin : url;

/** Settings of a channel as answers and the audit log have them: names of secrets, and the rest. */
const shownSettings = (settings: Settings) => ({
  chat: settings.chat ?? null,
  secrets: SECRET_SETTINGS.filter((name) => settings[name] !== undefined),
});

/** Converts a row to a channel. */
export function toWebhook(
  key: SecretKey,
  row: WebhookRow,
  counts: WebhookCounts,
  withheld: readonly string[] = [],
): Webhook {
  const url = openUrl(key, row);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    url: url === undefined ? null : shownUrl(row.kind, url),
    to: words(row.recipients),
    types: words(row.types),
    filter: row.filter,
    enabled: row.enabled,
    prefix: row.prefix,
    parts: words(row.parts) as MessagePart[],
    ...shownSettings(openSettings(key, row)),
    withheld: [...withheld],
    ...counts,
    failing_since: row.failingSinceMs === 0 ? null : row.failingSinceMs / 1000,
    gone_since: row.goneMs === 0 ? null : row.goneMs / 1000,
    created: row.createdMs / 1000,
    created_by: row.createdBy,
    modified: row.modifiedMs / 1000,
  };
}

/** Words of a column that holds several, separated by spaces. */
export const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** Fields of a channel for the audit log. An address may be a secret, so its host stands for it. */
export const auditView = (key: SecretKey, row: WebhookRow) => {
  const url = openUrl(key, row);
  const { name, kind, filter, enabled, prefix } = row;
  const to = words(row.recipients);
  return {
    name,
    kind,
    url: url === undefined ? null : new URL(url).origin,
    to,
    types: words(row.types),
    filter,
    enabled,
    prefix,
    parts: words(row.parts),
    ...shownSettings(openSettings(key, row)),
  };
};
