// The screen of the own account: sessions, password, second factor.

import type { Session } from '@quarterdeck/core';
import { useSessions } from '@quarterdeck/views/react';
import { age, clean, distance, fullTime } from '@quarterdeck/views/text';
import { beginDialog, endDialog, endOthersDialog, passwordDialog, turnOffDialog } from '@quarterdeck/views/users';
import type { Column } from '../../components/list/column.ts';
import { type Facts, factDetail } from '../../components/list/detail-lines.ts';
import { type Dashboard, useDashboard } from '../../context/dashboard.ts';
import type { Run } from '../../theme/lines.ts';
import { momentColumn } from '../list/columns.ts';
import { listScreen } from '../list/list-screen.tsx';

const lastUsed = ({ last_used: used }: Session, nowMs: number): string =>
  used === 0 ? 'never' : `${age(nowMs / 1000 - used)} ago`;

/** The end of a session that is not used again, Unix milliseconds. */
const endOf = ({ expire, idle_until: idle }: Session): number => (idle === 0 ? expire : Math.min(expire, idle));

function sessionColumns(nowMs: number): Column<Session>[] {
  return [
    {
      id: 'current',
      title: 'Session',
      width: 10,
      pinned: true,
      cell: ({ current, id }) => (current ? { text: '● this one', tone: 'good' } : { text: `  ${id}`, tone: 'muted' }),
    },
    {
      id: 'client',
      title: 'Program',
      width: 16,
      grow: 4,
      max: 60,
      searched: true,
      cell: ({ client }) => ({ text: client || 'unknown' }),
    },
    {
      id: 'address',
      title: 'From',
      width: 15,
      grow: 1,
      max: 40,
      searched: true,
      cell: ({ address }) => ({ text: address }),
    },
    {
      id: 'used',
      title: 'Used',
      width: 8,
      drop: 1,
      cell: (session) => ({ text: lastUsed(session, nowMs), tone: 'muted' }),
      value: ({ last_used }) => -last_used,
      moment: ({ last_used }) => last_used,
    },
    momentColumn('created', 'Began', ({ created }) => created, nowMs, { drop: 2 }),
    {
      id: 'expire',
      title: 'Ends',
      width: 14,
      drop: 3,
      cell: (session) => ({ text: distance(endOf(session), nowMs), tone: 'muted' }),
      value: endOf,
      moment: (session) => endOf(session) / 1000,
    },
  ];
}

function useOwnSessions(active: boolean) {
  const { me } = useDashboard();
  const { query, rows, partial, refresh } = useSessions(active);
  // With an API token nothing is read.
  const isSession = me.credential.kind === 'session';
  return { query: isSession ? query : undefined, rows, partial, refresh };
}

function sessionFacts(session: Session, nowMs: number): Facts {
  const { client, address, created, expire, idle_until: idle } = session;
  return [
    { label: 'Program', value: clean(client) },
    { label: 'From', value: clean(address) },
    { label: 'Last used', value: lastUsed(session, nowMs) },
    { label: 'Began', value: fullTime(created * 1000) },
    { label: 'Ends', value: `${fullTime(expire)}, ${distance(expire, nowMs)}` },
    idle === 0 ? null : { label: 'If unused', value: `ends ${distance(idle, nowMs)}` },
  ];
}

function factorChip({ me, keyOf }: Pick<Dashboard, 'me' | 'keyOf'>): Run {
  if (me.second_factor) return { text: '✓ second factor on', tone: 'good' };
  const key = keyOf('account.secondFactor');
  const missing = me.must_set_up_second_factor ? '▲ second factor missing' : 'no second factor';
  return { text: `${missing}${key === undefined ? '' : `: ${key}`}`, tone: 'warning' };
}

export const AccountScreen = listScreen({
  place: 'account',
  useSource: useOwnSessions,
  clockMs: 30_000,
  columns: (_, nowMs) => sessionColumns(nowMs),
  detail: (session, { nowMs }) =>
    factDetail(session.current ? 'This session' : `Session ${session.id}`, sessionFacts(session, nowMs)),
  chips: (context) => [factorChip(context)],
  commands({ selected }, context) {
    const { me, open, source } = context;
    const others = source.rows.filter(({ current }) => !current);
    return {
      password: () => open(passwordDialog(context)),
      secondFactor: () => open(me.second_factor ? turnOffDialog(context) : beginDialog(context)),
      end: selected === undefined ? undefined : () => open(endDialog(selected, context)),
      endOthers: others.length === 0 ? undefined : () => open(endOthersDialog(others, context)),
    };
  },
  empty: ({ me }) =>
    me.credential.kind === 'session'
      ? { reading: 'Reading your sessions…', title: 'No sessions.' }
      : {
          title: 'You are using an API token.',
          lines: ['Sign in to see your sessions and to change your password or second factor.'],
        },
});
