// The use of a token, below its details. Pure.
import type { TokenUse } from '@quarterdeck/core';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { age, clean, plural } from '@quarterdeck/views/text';
import { factLines, heading } from '../../components/list/detail-lines.ts';
import type { Line } from '../../theme/lines.ts';

/** Endpoints that the details name. */
const ENDPOINTS = 12;

/** The permissions and endpoints that a token has used, the most recent first. */
export function tokenUseLines(use: Query<TokenUse>, nowMs: number, width: number): Line[] {
  if (!hasData(use))
    return [[{ text: use.status === 'failed' ? 'Its use cannot be read.' : 'Reading its use…', tone: 'muted' }]];
  const { since, permissions, endpoints } = use.data;
  const ago = (seconds: number) => `${age(nowMs / 1000 - seconds)} ago`;
  const rows = [...permissions, ...endpoints.slice(0, ENDPOINTS)];
  const more = endpoints.length - ENDPOINTS;
  return [
    heading(`Used, counted for ${age(nowMs / 1000 - since)}`),
    ...(rows.length === 0 ? [[{ text: 'Nothing.', tone: 'muted' as const }]] : []),
    ...factLines(
      rows.map(({ name, count, last_used }) => ({
        label: clean(name),
        value: `${plural(count, 'time')}, last ${ago(last_used)}`,
      })),
      width,
    ),
    ...(more > 0 ? [[{ text: `and ${more} more endpoints`, tone: 'muted' as const }]] : []),
  ];
}
