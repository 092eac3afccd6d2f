// Entity tags of what people edit, as the server sends and compares them.
import { AppError, type Endpoint } from '@quarterdeck/core';

/** The tag of an object: its edited fields, readable. Undefined where nobody edits it. */
export function entityTag({ versioned }: Endpoint, data: unknown): string | undefined {
  if (versioned === undefined || typeof data !== 'object' || data === null) return undefined;
  const values = versioned.map((name) => (data as Readonly<Record<string, unknown>>)[name] ?? null);
  return `"${encodeURIComponent(JSON.stringify(values))}"`;
}

/** @throws AppError `precondition_failed` with the current object, unless `If-Match` has its tag */
export function requireMatch(wanted: string, endpoint: Endpoint, current: unknown): void {
  const tags = wanted.split(',').map((tag) => tag.trim());
  if (tags.includes('*') || tags.includes(entityTag(endpoint, current) ?? '')) return;
  throw new AppError('precondition_failed', { current: current as object });
}
