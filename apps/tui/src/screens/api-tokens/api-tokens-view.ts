// Columns, facets and details of the API tokens. Pure.

import type { TokenUse } from '@quarterdeck/core';
import type { ApiToken, Me } from '@quarterdeck/sdk';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { age, clean, fullTime, plural } from '@quarterdeck/views/text';
import { expiryText, isInUse, tokenName, tokenState } from '@quarterdeck/views/tokens';
import type { Column } from '../../components/list/column.ts';
import { type Facts, factLines, heading } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { expiryColumn, lastColumn, momentColumn, textColumn, widest } from '../list/columns.ts';
import { ago, timeAgo } from '../list/moments.ts';

const STATES: Readonly<Record<ReturnType<typeof tokenState>, { readonly text: string; readonly tone: BaseTone }>> = {
  active: { text: '● active', tone: 'good' },
  expiring: { text: '▲ expiring', tone: 'warning' },
  expired: { text: '✖ expired', tone: 'bad' },
  disabled: { text: '○ disabled', tone: 'muted' },
};

const stateCell = (token: ApiToken, nowMs: number) => STATES[tokenState(token, nowMs)];

/** The columns of the list. Only users who see the tokens of others have the owner. */
export function apiTokenColumns(tokens: readonly ApiToken[], nowMs: number, me: Me): Column<ApiToken>[] {
  const nameOf = (token: ApiToken): string => `${tokenName(token)}${isInUse(token, me) ? ' (in use)' : ''}`;
  return [
    { id: 'state', title: 'State', width: 10, drop: 1, pinned: true, cell: (token) => stateCell(token, nowMs) },
    textColumn('name', 'Name', tokens, nameOf, {
      widths: [12, 30, 60],
      grow: 1,
      searched: true,
      text: tokenName,
      cell: (token) => ({ text: nameOf(token), tone: token.name === '' ? 'muted' : undefined }),
    }),
    expiryColumn(nowMs, { width: 14, grow: 1, max: 19 }),
    lastColumn('used', 'Used', ({ last_used: used }) => used, nowMs, { width: 8, drop: 3 }),
    {
      id: 'unused',
      title: 'Unused',
      width: 6,
      drop: 4,
      cell: ({ unused = [] }) => ({ text: unused.length === 0 ? '' : `▲ ${unused.length}`, tone: 'warning' }),
      value: ({ unused = [] }) => -unused.length,
    },
    {
      id: 'expiresAt',
      title: 'Expires at',
      width: 19,
      drop: 6,
      cell: ({ expire }) => ({ text: expire === 0 ? '' : fullTime(expire), tone: 'muted' }),
    },
    momentColumn('created', 'Created', ({ _created_unix }) => _created_unix, nowMs, { drop: 4 }),
    {
      id: 'tail',
      title: 'Secret',
      width: 7,
      drop: 5,
      cell: ({ token_tail }) => ({ text: token_tail === undefined ? '' : `…${token_tail}`, tone: 'muted' }),
    },
    ...(me.permissions.includes('api_token:manage')
      ? [
          {
            id: 'owner',
            title: 'Owner',
            width: widest(tokens, ({ username = '' }) => username, 5, 20),
            drop: 2,
            cell: ({ username, uid }: ApiToken) => ({ text: username ?? `#${uid}` }),
          },
        ]
      : []),
  ];
}

export const TOKEN_FACETS = (nowMs: number): readonly Facet<ApiToken>[] => [
  { id: 'state', title: 'State', value: (token) => tokenState(token, nowMs) },
  { id: 'owner', title: 'Owner', value: ({ username, uid }) => username ?? `#${uid}` },
  { id: 'unused', title: 'Unused permissions', value: ({ unused = [] }) => (unused.length === 0 ? 'none' : 'some') },
];

export function apiTokenFacts(token: ApiToken, me: Me, nowMs: number): Facts {
  const { text, tone } = stateCell(token, nowMs);
  const { scopes, allowed_cidrs: cidrs = [], last_used: used, grace_until: grace = 0, unused } = token;
  return [
    { label: 'State', value: isInUse(token, me) ? `${text}, in use by this dashboard` : text, tone },
    { label: 'Expires', value: token.expire === 0 ? 'never' : expiryText(token.expire, nowMs) },
    { label: 'Owner', value: clean(token.username ?? '') },
    { label: 'Permissions', value: scopes == null ? 'all of its owner' : clean(scopes.join(', ')) },
    unused === undefined || unused.length === 0
      ? null
      : { label: 'Unused for 30 days', value: clean(unused.join(', ')), tone: 'warning' },
    { label: 'Allowed from', value: cidrs.length === 0 ? 'any address' : clean(cidrs.join(', ')) },
    { label: 'Sees sources', value: clean(token.errlog_filter ?? 'all of its owner') },
    { label: 'Last used', value: used == null ? 'never' : timeAgo(used, nowMs) },
    { label: 'Last used by', value: clean([token.last_address, token.last_client].filter(Boolean).join(' · ')) },
    { label: 'Secret ends in', value: token.token_tail === undefined ? '' : `…${clean(token.token_tail)}` },
    ...(grace > nowMs
      ? [{ label: 'Old secret works', value: `until ${expiryText(grace, nowMs)}`, tone: 'warning' as const }]
      : []),
    { label: 'Created', value: fullTime(token._created_unix * 1000) },
    { label: 'Changed', value: fullTime(token._modified_unix * 1000) },
    { label: 'Id', value: String(token.id) },
  ];
}

/** Endpoints that the details name. */
const ENDPOINTS = 12;

/** The permissions and endpoints that a token has used, the most recent first. */
export function tokenUseLines(use: Query<TokenUse>, nowMs: number, width: number): Line[] {
  if (!hasData(use))
    return [[{ text: use.status === 'failed' ? 'Its use cannot be read.' : 'Reading its use…', tone: 'muted' }]];
  const { since, permissions, endpoints } = use.data;
  const rows = [...permissions, ...endpoints.slice(0, ENDPOINTS)];
  const more = endpoints.length - ENDPOINTS;
  return [
    heading(`Used, counted for ${age(nowMs / 1000 - since)}`),
    ...(rows.length === 0 ? [[{ text: 'Nothing.', tone: 'muted' as const }]] : []),
    ...factLines(
      rows.map(({ name, count, last_used }) => ({
        label: clean(name),
        value: `${plural(count, 'time')}, last ${ago(last_used, nowMs)}`,
      })),
      width,
    ),
    ...(more > 0 ? [[{ text: `and ${more} more endpoints`, tone: 'muted' as const }]] : []),
  ];
}
