// Entity tags of what people edit, as the server sends and compares them.
import { AppError, type Endpoint, namesTag } from '@quarterdeck/core';

/** The tag of an object: its edited fields, readable. Undefined where nobody edits it. */
export function entityTag({ versioned }: Endpoint, data: unknown): string | undefined {
  if (versioned === undefined || typeof data !== 'object' || data === null) return undefined;
  const values = versioned.map((name) => (data as Readonly<Record<string, unknown>>)[name] ?? null);
  return `"${encodeURIComponent(JSON.stringify(values))}"`;
}

/** @throws AppError `precondition_failed` with the current object, unless its tag is as the request expects */
export function requireMatch(headers: Headers, endpoint: Endpoint, current: unknown): void {
  const tag = entityTag(endpoint, current) ?? '';
  const [expected, known] = [headers.get('if-match'), headers.get('if-none-match')];
  const isExpected = expected === null || namesTag('If-Match', expected, tag);
  if (isExpected && (known === null || !namesTag('If-None-Match', known, tag))) return;
  throw new AppError('precondition_failed', { current: current as object });
}

/** Tells whether a read names the version of the object in `If-None-Match`. */
export function isKnown(headers: Headers, endpoint: Endpoint, data: unknown): boolean {
  const [known, tag] = [headers.get('if-none-match'), entityTag(endpoint, data)];
  return known !== null && tag !== undefined && namesTag('If-None-Match', known, tag);
}
