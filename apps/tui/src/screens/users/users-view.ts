// Columns, facets and details of the users. Pure.

import { permissionsOf, type User } from '@quarterdeck/core';
import type { Me } from '@quarterdeck/sdk';
import { clean, fullTime, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import type { Facts } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { momentColumn, textColumn } from '../list/columns.ts';

const state = ({ disabled }: User): { text: string; tone: BaseTone } =>
  disabled ? { text: '○ disabled', tone: 'muted' } : { text: '● active', tone: 'good' };
const factor = ({ second_factor: has }: User): { text: string; tone: BaseTone } =>
  has ? { text: '✓ on', tone: 'good' } : { text: '– off', tone: 'muted' };

export function userColumns(users: readonly User[], nowMs: number, me: Me): Column<User>[] {
  const nameOf = (user: User): string => `${user.username}${user.id === me.id ? ' (you)' : ''}`;
  return [
    { id: 'state', title: 'State', width: 10, pinned: true, cell: state },
    textColumn('name', 'Username', users, nameOf, {
      widths: [12, 24, 48],
      grow: 1,
      searched: true,
      text: ({ username }) => username,
      cell: (user) => ({ text: nameOf(user), tone: user.disabled ? 'muted' : undefined }),
    }),
    {
      id: 'role',
      title: 'Role',
      width: 10,
      cell: ({ role }) => ({ text: role, ...(role === 'master' ? { tone: 'accent' as const } : {}) }),
    },
    { id: 'factor', title: '2nd factor', width: 10, drop: 1, cell: factor },
    momentColumn('created', 'Created', ({ _created_unix }) => _created_unix, nowMs, { drop: 2 }),
    momentColumn('changed', 'Changed', ({ _modified_unix }) => _modified_unix, nowMs, { drop: 3 }),
  ];
}

export const USER_FACETS: readonly Facet<User>[] = [
  { id: 'role', title: 'Role', value: ({ role }) => role },
  { id: 'state', title: 'State', value: ({ disabled }) => (disabled ? 'disabled' : 'active') },
  { id: 'factor', title: 'Second factor', value: ({ second_factor }) => (second_factor ? 'on' : 'off') },
];

export function userFacts(user: User, me: Me, required: readonly string[], nowMs: number): Facts {
  const { text, tone } = state(user);
  const isMissing = required.includes(user.role) && !user.second_factor;
  return [
    { label: 'State', value: text, tone },
    { label: 'Username', value: `${clean(user.username)}${user.id === me.id ? ' (you)' : ''}` },
    { label: 'Role', value: clean(user.role) },
    { label: 'Permissions', value: permissionsOf(user.role).join(', ') },
    {
      label: 'Second factor',
      value: isMissing ? 'off, but required by the role: set it up first' : factor(user).text,
      tone: isMissing ? 'warning' : factor(user).tone,
    },
    { label: 'Created', value: fullTime(user._created_unix * 1000) },
    { label: 'Changed', value: `${fullTime(user._modified_unix * 1000)} (${shortTime(user._modified_unix, nowMs)})` },
    { label: 'Id', value: String(user.id) },
  ];
}
