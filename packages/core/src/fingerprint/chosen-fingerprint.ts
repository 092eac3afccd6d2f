// Fingerprints that a program chose for its errors, as Sentry's SDKs let it.
import { hash } from 'node:crypto';
import { fingerprint } from './fingerprint.ts';

/**
 * First character of these keys. Versions of the rules are digits, which come before it in binary order: an upgrade of
 * the rules leaves these groups as they are.
 */
export const CHOSEN = 'c';
/** The part that stands for the fingerprint of the text. */
const OF_TEXT = '{{ default }}';

/** Returns the key of a group whose program chose the parts of its fingerprint. Services do not share groups. */
export function chosenFingerprint(parts: readonly string[], log: string, service = ''): string {
  const all = parts.map((part) => (part === OF_TEXT ? fingerprint(log, service) : part));
  return CHOSEN + hash('sha256', JSON.stringify([service, ...all]), 'base64url').slice(0, 22);
}

/** Tells whether a program chose a fingerprint. */
export const isChosen = (print: string): boolean => print.startsWith(CHOSEN);
