// Entity tags of what people edit (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type Endpoint, namesTag } from '@quarterdeck/core';

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

/** Versions of the object of one request, for its pipeline. */
export interface RequestVersioning extends Versioning {
  /** Tells whether a read has shown the version that its caller knows already. */
  isKnown(): boolean;
}

/** Versions of the object of one request; undefined where nobody edits it. `isShown`: the caller may read it. */
export function versioningOf(
  { versioned }: Endpoint,
  req: IncomingMessage,
  res: ServerResponse,
  { isShown }: { readonly isShown: boolean },
): RequestVersioning | undefined {
  if (versioned === undefined) return undefined;
  const { 'if-match': expected, 'if-none-match': known } = req.headers;
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  let isKnown = false;
  return {
    show(state) {
      const tag = entityTag(versioned, state);
      res.setHeader('ETag', tag);
      isKnown = isRead && known !== undefined && namesTag('If-None-Match', known, tag);
    },
    check(state) {
      const tag = entityTag(versioned, state);
      const isExpected = expected === undefined || namesTag('If-Match', expected, tag);
      if (isExpected && (known === undefined || !namesTag('If-None-Match', known, tag))) return;
      throw new AppError('precondition_failed', isShown ? { current: state } : {});
    },
    isKnown: () => isKnown,
  };
}

/** The entity tag of an object, of its edited fields alone. */
function entityTag(fields: readonly string[], state: object): string {
  const values = fields.map((name) => sorted((state as Readonly<Record<string, unknown>>)[name]));
  return `"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22)}"`;
}

/** An object as pairs by name: the databases return them in orders of their own. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;
