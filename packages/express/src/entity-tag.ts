// Entity tags of what people edit (RFC 9110, sections 8.8.3 and 13.1.1).
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';

/** Versions of the object that a request addresses. */
export interface Versioning {
  /** Sends the version of the object with the answer. Takes the object with all details. */
  show(state: object): void;
  /**
   * Checks that the object is as the caller expects, inside the write that changes it.
   *
   * @throws AppError `precondition_failed` with the object
   */
  check(state: object): void;
}

/** Versions of the object of one request; undefined where nobody edits it. `isShown`: the caller may read it. */
export function versioningOf(
  { versioned }: Endpoint,
  req: IncomingMessage,
  res: ServerResponse,
  { isShown }: { readonly isShown: boolean },
): Versioning | undefined {
  if (versioned === undefined) return undefined;
  return {
    show: (state) => void res.setHeader('ETag', entityTag(versioned, state)),
    check(state) {
      const wanted = req.headers['if-match'];
      if (wanted !== undefined && !matches(wanted, entityTag(versioned, state))) {
        throw new AppError('precondition_failed', isShown ? { current: state } : {});
      }
    },
  };
}

/** The strong entity tag of an object, of its edited fields alone. */
function entityTag(fields: readonly string[], state: object): string {
  const values = fields.map((name) => sorted((state as Readonly<Record<string, unknown>>)[name]));
  return `"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22)}"`;
}

/** An object as pairs by name: the databases return them in orders of their own. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;

const TAG = '(W/)?("[\\x21\\x23-\\x7e\\x80-\\xff]*")';
const LIST = new RegExp(`^[ \\t,]*${TAG}([ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);
const TAGS = new RegExp(TAG, 'g');

/**
 * Compares `If-Match` with an entity tag, strongly: a weak one never matches.
 *
 * @throws AppError `bad_request` for a malformed header
 */
function matches(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  if (!LIST.test(header)) {
    throw new AppError('bad_request', { message: 'If-Match must be * or a list of entity tags in double quotes.' });
  }
  return [...header.matchAll(TAGS)].some(([, weak, value]) => weak === undefined && value === tag);
}
