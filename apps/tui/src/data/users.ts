// Requests about users, their policy, and the own sessions.
import type { Session, User, UserPolicy } from '@quarterdeck/core';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** Page size. */
const PAGE_MAX = 1_000;

/** Reads the users while `active`. */
export function useUsers(active: boolean): QueryHandle<readonly User[]> {
  const { client, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<readonly User[]> =>
      (await client.user.list({ query: { page_size: PAGE_MAX } }, { signal })).data,
    [client],
  );
  return useQuery(read, { enabled: online && active });
}

/** Reads the policy. */
export function useUserPolicy(active: boolean): QueryHandle<UserPolicy> {
  const { client, online } = useDashboard();
  const read = useCallback((signal: AbortSignal) => client.user.policy({}, { signal }), [client]);
  return useQuery(read, { enabled: online && active });
}

/** Reads the own sessions while `active`. The server refuses API tokens here. */
export function useSessions(active: boolean): QueryHandle<readonly Session[]> {
  const { client, me, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<readonly Session[]> =>
      (await client.user.sessions({ query: { page_size: PAGE_MAX } }, { signal })).data,
    [client],
  );
  return useQuery(read, { enabled: online && active && me.credential.kind === 'session' });
}
