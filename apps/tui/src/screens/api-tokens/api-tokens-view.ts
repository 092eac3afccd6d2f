// The API tokens in words: columns and chips. Pure.
import type { ApiToken, Me } from '@quarterdeck/sdk';
import type { Column } from '../../components/table/table.tsx';
import type { Run } from '../../components/text.tsx';
import { clean } from '../../text/clean.ts';
import { fullTime, grouped, shortTime } from '../../text/format.ts';
import { width as widthOf } from '../../text/width.ts';
import { expiryCell } from './expiry.ts';

/** A token's name, cleaned; said where it has none. */
export const tokenName = ({ name }: Pick<ApiToken, 'name'>): string => clean(name) || '(no name)';

/** Whether the dashboard itself is using this token. */
export const isInUse = (token: Pick<ApiToken, 'id'>, me: Me): boolean =>
  me.credential.kind === 'api_token' && me.credential.id === token.id;

/** The columns of the list. The owner is for those who see other people's tokens. */
export function apiTokenColumns(tokens: readonly ApiToken[], me: Me, nowMs: number): Column<ApiToken>[] {
  const names = Math.max(
    12,
    ...tokens.map((token) => Math.min(60, widthOf(tokenName(token)) + (isInUse(token, me) ? 9 : 0))),
  );
  const owners = Math.max(5, ...tokens.map(({ username = '' }) => Math.min(20, widthOf(clean(username)))));
  return [
    {
      title: 'Name',
      width: Math.min(names, 30),
      grow: 1,
      max: names,
      cell: (token) => ({
        text: isInUse(token, me) ? `${tokenName(token)} (in use)` : tokenName(token),
        ...(token.name === '' ? { tone: 'muted' as const } : {}),
      }),
    },
    { title: 'Expires', width: 19, cell: ({ expire }) => expiryCell(expire, nowMs) },
    {
      title: 'Expires at',
      width: 19,
      drop: 3,
      cell: ({ expire }) => ({ text: expire === 0 ? '' : fullTime(expire), tone: 'muted' }),
    },
    {
      title: 'Created',
      width: 12,
      drop: 1,
      cell: ({ _created_unix }) => ({ text: shortTime(_created_unix, nowMs), tone: 'muted' }),
    },
    {
      title: 'Ends in',
      width: 7,
      drop: 4,
      cell: ({ token_tail }) => ({ text: token_tail === undefined ? '' : `…${token_tail}`, tone: 'muted' }),
    },
    ...(me.permissions.includes('api_token:manage')
      ? [
          {
            title: 'Owner',
            width: owners,
            drop: 2,
            cell: ({ username, uid }: ApiToken) => ({ text: username ?? `#${uid}` }),
          },
        ]
      : []),
  ];
}

/** Where the selection is, and whether there are more than are shown. */
export function apiTokenChips(shown: number, total: number, index: number): Run[] {
  if (shown === 0) return [];
  const of = total > shown ? `${grouped(shown)} shown, ${grouped(total)}` : grouped(shown);
  return [{ text: `${grouped(index + 1)} of ${of}`, tone: 'muted' }];
}
