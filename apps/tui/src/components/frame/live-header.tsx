// The first row of a signed-in user. A component of its own, so that its changes render one row.
import { can, contract } from '@quarterdeck/core';
import type { RequestInfo } from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import { firingCount } from '@quarterdeck/views/alerts';
import type { Feed } from '@quarterdeck/views/live';
import { useConnection, useFiring, useNow } from '@quarterdeck/views/react';
import { zoneName } from '@quarterdeck/views/text';
import { type ReactElement, use, useEffect, useState } from 'react';
import { ShellContext } from '../../context/shell.ts';
import type { Log } from '../../data/log.ts';
import { latencyMs } from '../../data/requests.ts';
import type { Account } from '../../data/session.ts';
import { connectionRun, Header } from './header.tsx';

/** Delay of an update, because answers come in bursts, milliseconds. */
const SETTLE_MS = 1_000;

/** Returns the latency, milliseconds; undefined before the first answers. */
function useLatency(requests: Log<RequestInfo>): number | undefined {
  const [latency, setLatency] = useState(() => latencyMs(requests.entries()));
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    const unsubscribe = requests.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLatency(latencyMs(requests.entries()));
      }, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [requests]);
  return latency;
}

interface LiveHeaderProps {
  readonly account: Account;
  readonly feed: Feed | null;
  readonly width: number;
}

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
