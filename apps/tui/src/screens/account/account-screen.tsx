// The own account: sessions, password, second factor.
import type { Session } from '@quarterdeck/core';
import { type ReactElement, useMemo } from 'react';
import type { Column } from '../../components/list/column.ts';
import { factLines } from '../../components/list/detail-lines.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { Notice, QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { useSessions } from '../../data/users.ts';
import { clean } from '../../text/clean.ts';
import { age, distance, fullTime, shortTime } from '../../text/format.ts';
import type { Run } from '../../text/lines.ts';
import {
  type AccountActions,
  beginDialog,
  endDialog,
  endOthersDialog,
  passwordDialog,
  turnOffDialog,
} from './account-dialogs.ts';

const NONE: readonly Session[] = [];

const lastUsed = ({ last_used: used }: Session, nowMs: number): string =>
  used === 0 ? 'never' : `${age(nowMs / 1000 - used)} ago`;

/** When a session ends at the latest if nobody uses it, Unix milliseconds. */
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
    },
    {
      id: 'created',
      title: 'Began',
      width: 12,
      drop: 2,
      cell: ({ created }) => ({ text: shortTime(created, nowMs), tone: 'muted' }),
      value: ({ created }) => created,
    },
    {
      id: 'expire',
      title: 'Ends',
      width: 14,
      drop: 3,
      cell: (session) => ({ text: distance(endOf(session), nowMs), tone: 'muted' }),
      value: endOf,
    },
  ];
}

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function AccountScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, me, profile, now, open, renew } = useDashboard();
  const { query, refresh } = useSessions(visible);
  const sessions = hasData(query) ? query.data : NONE;
  const nowMs = useNow(now, 30_000, visible);
  const columns = useMemo(() => sessionColumns(nowMs), [nowMs]);
  const deeds: AccountActions = { client, me, profile, refresh, renew };
  const others = sessions.filter(({ current }) => !current);
  const factor: Run = me.second_factor
    ? { text: '✓ second factor on', tone: 'good' }
    : { text: me.must_set_up_second_factor ? '▲ second factor missing: t' : 'no second factor', tone: 'warning' };
  return (
    <ListScreen
      place="account"
      visible={visible}
      rows={sessions}
      columns={columns}
      detail={(session) => ({
        title: session.current ? 'This session' : `Session ${session.id}`,
        lines: (width) =>
          factLines(
            [
              { label: 'Program', value: clean(session.client) },
              { label: 'From', value: clean(session.address) },
              { label: 'Last used', value: lastUsed(session, nowMs) },
              { label: 'Began', value: fullTime(session.created * 1000) },
              { label: 'Ends', value: `${fullTime(session.expire)}, ${distance(session.expire, nowMs)}` },
              ...(session.idle_until === 0
                ? []
                : [{ label: 'If unused', value: `ends ${distance(session.idle_until, nowMs)}` }]),
            ],
            width,
          ),
      })}
      chips={[factor]}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh }}
      commands={({ selected }) => ({
        password: () => open(passwordDialog(deeds)),
        secondFactor: () => open(me.second_factor ? turnOffDialog(deeds) : beginDialog(deeds)),
        end: selected === undefined ? undefined : () => open(endDialog(selected, deeds)),
        endOthers: others.length === 0 ? undefined : () => open(endOthersDialog(others, deeds)),
      })}
      empty={(width, height) =>
        me.credential.kind === 'session' ? (
          <QueryNotice
            query={query}
            reading="Reading your sessions…"
            empty="No sessions."
            width={width}
            height={height}
          />
        ) : (
          <Notice
            title="You are using an API token."
            lines={['Sign in to see your sessions and to change your password or second factor.']}
            width={width}
            height={height}
          />
        )
      }
    />
  );
}
