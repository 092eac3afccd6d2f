// Rules about the fields of a channel that depend on its kind.
import { AppError, hasTypes, NO_SUCH_TYPES, type WebhookChange, type WebhookKind } from '@quarterdeck/core';
import type { SecretKey } from '../../auth/secrets.ts';
import type { WebhookRow } from './webhook.repo.ts';
import { openUrl } from './webhook.secrets.ts';
import { shownUrl } from './webhook.view.ts';

/**
 * Refuses fields that do not belong to the kind.
 *
 * @throws AppError `validation_failed`
 */
export function checkFields(kind: WebhookKind, { url, to, types }: WebhookChange): void {
  const fields = [
    ...(kind === 'email' && url !== undefined ? [{ path: 'body.url', message: 'does not belong to email' }] : []),
    ...(kind !== 'email' && to !== undefined ? [{ path: 'body.to', message: 'belongs to email only' }] : []),
    ...(hasTypes(kind, types) ? [] : [{ path: 'body.types', message: NO_SUCH_TYPES }]),
  ];
  const [first] = fields;
  if (first === undefined) return;
  throw new AppError('validation_failed', { message: `${first.path}: ${first.message}`, fields });
}

/** Words as a column holds them, each once. */
export const joined = (words: readonly string[]): string => [...new Set(words)].join(' ');

/** Columns of a channel after a change. `url` is plain text, and undefined where the address stays. */
export function changedColumns(key: SecretKey, row: WebhookRow, change: WebhookChange) {
  const { name = row.name, filter = row.filter, enabled = row.enabled, url, to, types } = change;
  const before = openUrl(key, row);
  // An address whose secret part is not shown comes back as it was shown, in the change of another field.
  const isKept = before === undefined || url === before || url === shownUrl(row.kind, before);
  return {
    columns: {
      name,
      filter,
      enabled,
      // A person who decides on it knows that its receiver is gone.
      ...(change.enabled === undefined ? {} : { goneMs: 0 }),
      recipients: to === undefined ? row.recipients : joined(to),
      types: types === undefined ? row.types : joined(types),
    },
    url: isKept ? undefined : url,
  };
}
