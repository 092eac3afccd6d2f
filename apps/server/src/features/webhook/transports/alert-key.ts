// The name of an alert at services that keep its state: the same in each of its messages, and in no other alert.
import type { StoredMessage } from '../transport.ts';
import { isData, textOf } from './message-data.ts';

/**
 * Name of the alert of a message. The beginning tells alerts of several installations apart that send to one service.
 */
export function alertKey({ messageId, body, alertId, earlier }: StoredMessage): string {
  if (earlier !== undefined && earlier.receipt !== '') return earlier.receipt;
  const { data } = JSON.parse(body) as { readonly data: unknown };
  const { id, since } = isData(data) ? data : {};
  const alert = alertId > 0 ? String(alertId) : textOf(id);
  return alert === '' ? `quarterdeck-test-${messageId}` : `quarterdeck-${alert}-${textOf(since)}`;
}

/** Id of the alert with this name; undefined where it is the name of no alert of Quarterdeck. */
export function alertOfKey(key: string): number | undefined {
  const [, id] = /^quarterdeck-(\d{1,15})-/.exec(key) ?? [];
  return id === undefined ? undefined : Number(id);
}
