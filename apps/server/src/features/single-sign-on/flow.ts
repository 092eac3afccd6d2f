// A sign-in on its way through a provider. The browser holds it in a cookie, sealed under the key of the server.
// Nothing is stored, so that nobody can fill the database with sign-ins that they never end.
import { createHash, timingSafeEqual } from 'node:crypto';
import { randomBase62, type SecretKey } from '../../auth/secrets.ts';
import type { FlowChecks } from './provider-client.ts';

/** Purpose of a flow: a session, a link to the user of a session, or the confirmation of a session. */
export const FLOW_PURPOSES = ['sign_in', 'link', 'confirm'] as const;
export type FlowPurpose = (typeof FLOW_PURPOSES)[number];

export interface Flow {
  readonly provider: string;
  readonly purpose: FlowPurpose;
  /** Path of this server that the person wants to see. */
  readonly to: string;
  /** The session to be linked or confirmed; 0 = none. */
  readonly sessionId: number;
  readonly startedMs: number;
  readonly random: string;
}

/** Time within which a person must come back from the provider. */
export const FLOW_MAX_MS = 10 * 60_000;

const RANDOM_LENGTH = 43;

export const beginFlow = (flow: Omit<Flow, 'random'>): Flow => ({ ...flow, random: randomBase62(RANDOM_LENGTH) });

/** Derives the values that bind the answer to this flow. They need the key: the cookie alone gives none away. */
export function checksOf(key: Pick<SecretKey, 'macFor'>, { random, provider }: Flow): FlowChecks {
  const derive = (name: string) => key.macFor('sign-in flow', `${name}:${provider}:${random}`);
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

const macOf = (key: Pick<SecretKey, 'macFor'>, text: string) => key.macFor('sign-in cookie', text);

/** Writes a flow as the value of a cookie. */
export function sealFlow(key: Pick<SecretKey, 'macFor'>, flow: Flow): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${text}.${macOf(key, text)}`;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Reads a flow; undefined for text that this server has not sealed, and for a flow that took too long. */
export function openFlow(
  keys: readonly Pick<SecretKey, 'macFor'>[],
  sealed: string | undefined,
  nowMs: number,
): { readonly flow: Flow; readonly key: Pick<SecretKey, 'macFor'> } | undefined {
  const [text = '', mac = ''] = (sealed ?? '').split('.');
  const key = keys.find((one) => timingSafeEqual(digest(macOf(one, text)), digest(mac)));
  if (key === undefined) return undefined;
  const flow = JSON.parse(Buffer.from(text, 'base64url').toString()) as Flow;
  const ageMs = nowMs - flow.startedMs;
  return ageMs >= 0 && ageMs < FLOW_MAX_MS ? { flow, key } : undefined;
}

// Any address: only the path counts.
const ORIGIN = 'http://quarterdeck.invalid';

/** The path of a place on this server; `/` for text that leads anywhere else. */
export function safePath(text: unknown): string {
  if (typeof text !== 'string' || text.length > 2000 || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)) return '/';
  if (!URL.canParse(text, ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(text, ORIGIN);
  // Dots can leave two slashes at the beginning, which is another host.
  return origin === ORIGIN && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
