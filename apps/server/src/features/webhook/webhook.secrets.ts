// Secrets and addresses of channels. The server must read them again, so they are encrypted under the key file.
import { randomBytes } from 'node:crypto';
import { defaultUrl, type WebhookKind, type WebhookSetting } from '@quarterdeck/core';
import type { SecretKey } from '../../auth/secrets.ts';
import type { WebhookRow } from './webhook.repo.ts';

const SECRET_BYTES = 32;

/** Generates a secret in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** A part of a channel that is encrypted. */
type Part = 'url' | 'secret' | 'settings';

// A row that is copied to another channel does not work there.
const contextOf = (id: number, part: Part) => `webhook:${id}:${part}`;

/** Encrypts a part of a channel for the database. */
export const sealPart = (key: SecretKey, id: number, part: Part, text: string): Uint8Array<ArrayBuffer> =>
  key.encrypt(Buffer.from(text), contextOf(id, part));

const openPart = (key: SecretKey, id: number, part: Part, stored: Uint8Array) =>
  Buffer.from(key.decrypt(stored, contextOf(id, part))).toString();

/** Decrypts the address of a channel, or returns that of its service; undefined for e-mail. */
export const openUrl = (
  key: SecretKey,
  { id, kind, url }: { readonly id: number; readonly kind: string; readonly url: Uint8Array | null },
): string | undefined => (url === null ? defaultUrl(kind as WebhookKind) : openPart(key, id, 'url', url));

/** Settings that only some kinds have. */
export type Settings = Readonly<Partial<Record<WebhookSetting, string>>>;

/** Encrypts the settings of a channel; null where it has none. */
export function sealSettings(key: SecretKey, id: number, settings: Settings): Uint8Array<ArrayBuffer> | null {
  const isEmpty = Object.keys(settings).length === 0;
  return isEmpty ? null : sealPart(key, id, 'settings', JSON.stringify(settings));
}

/** Decrypts the settings of a channel that only its kind has. */
export const openSettings = (
  key: SecretKey,
  { id, settings }: { readonly id: number; readonly settings: Uint8Array | null },
): Settings => (settings === null ? {} : (JSON.parse(openPart(key, id, 'settings', settings)) as Settings));

/** Decrypts the secrets that sign a message: the current one, then the one before while it is valid. */
export function openSecrets(
  key: SecretKey,
  channel: Pick<WebhookRow, 'id' | 'secret' | 'previousSecret' | 'previousUntilMs'>,
  nowMs: number,
): string[] {
  const { id, secret, previousSecret, previousUntilMs } = channel;
  const valid = [secret, previousUntilMs > nowMs ? previousSecret : null];
  return valid.filter((stored) => stored !== null).map((stored) => openPart(key, id, 'secret', stored));
}
