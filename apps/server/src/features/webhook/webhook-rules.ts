// Rules about the fields of a channel that depend on its kind.
import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  type KindFields,
  kindProblems,
  WEBHOOK_SETTINGS,
  type WebhookChange,
  type WebhookKind,
} from '@quarterdeck/core';
import type { SecretKey } from '../../auth/secrets.ts';
import type { WebhookRow } from './webhook.repo.ts';
import { openSettings, openUrl, type Settings } from './webhook.secrets.ts';
import { shownUrl } from './webhook.view.ts';

/**
 * Refuses fields that do not belong to the kind.
 *
 * @throws AppError `validation_failed`
 */
export function checkFields(kind: WebhookKind, change: WebhookChange): void {
  const problems = kindProblems(kind, change, false);
  const fields = problems.map(({ path, message }) => ({ path: `body.${path}`, message }));
  const [first] = fields;
  if (first === undefined) return;
  throw new AppError('validation_failed', { message: `${first.path}: ${first.message}`, fields });
}

/** Words as a column holds them, each once. */
export const joined = (words: readonly string[]): string => [...new Set(words)].join(' ');

/** Settings of a channel with those that a request gives. An empty one removes a setting. */
export function settingsAfter(before: Settings, given: KindFields): Settings {
  const all = WEBHOOK_SETTINGS.map((name) => [name, given[name] ?? before[name] ?? '']);
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/**
 * Columns of a channel after a change. `url` and `settings` are plain text, and undefined where the address or all
 * settings stay.
 */
export function changedColumns(key: SecretKey, row: WebhookRow, change: WebhookChange) {
  const { name = row.name, filter = row.filter, enabled = row.enabled, url, to, types, prefix, parts } = change;
  const before = openUrl(key, row);
  // An address whose secret part is not shown comes back as it was shown, in the change of another field.
  const isKept = url === before || (before !== undefined && url === shownUrl(row.kind, before));
  const settingsBefore = openSettings(key, row);
  const settings = settingsAfter(settingsBefore, change);
  return {
    columns: {
      name,
      filter,
      enabled,
      // A person who decides on it knows that its receiver is gone.
      ...(change.enabled === undefined ? {} : { goneMs: 0 }),
      recipients: to === undefined ? row.recipients : joined(to),
      types: types === undefined ? row.types : joined(types),
      prefix: prefix ?? row.prefix,
      parts: parts === undefined ? row.parts : joined(parts),
    },
    settings: isDeepStrictEqual(settings, settingsBefore) ? undefined : settings,
    url: isKept ? undefined : url,
  };
}
