// The first row of a signed-in user. A component of its own, so that its changes render one row.
import { can, contract } from '@quarterdeck/core';
import { subjectOf } from '@quarterdeck/views/actions';
import { firingCount } from '@quarterdeck/views/alerts';
import type { Feed } from '@quarterdeck/views/live';
import { useConnection, useFiring, useNow } from '@quarterdeck/views/react';
import { zoneName } from '@quarterdeck/views/text';
import { type ReactElement, use } from 'react';
import { ShellContext } from '../../context/shell.ts';
import type { Account } from '../../data/session.ts';
import { useLatency } from '../../data/use-latency.ts';
import { connectionRun, Header } from './header.tsx';

interface LiveHeaderProps {
  readonly account: Account;
  readonly feed: Feed | null;
  readonly width: number;
}

/** Renders the row. */
export function LiveHeader({ account, feed, width }: LiveHeaderProps): ReactElement {
  const { profile, now, requests, settings } = use(ShellContext);
  const connection = useConnection(feed);
  const nowMs = useNow(now, connection.status === 'lost' ? 1000 : 30_000);
  const latency = useLatency(requests);
  const { me } = account;
  const firing = useFiring(can(subjectOf(account.me), contract.alert.instances.access));
  return (
    <Header
      facts={{
        profile,
        user: me.username,
        role: me.role,
        expireMs: me.credential.expire,
        connection: connectionRun(connection, nowMs),
        latencyMs: latency,
        zone: zoneName(nowMs, settings.zone),
        firing: firingCount(firing),
        nowMs,
      }}
      width={width}
    />
  );
}
