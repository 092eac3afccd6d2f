// Requests about users, their policy, and the own sessions.
import type { Session, User, UserPolicy } from '@quarterdeck/core';
import { useCallback } from 'react';
import type { ReadRange } from '../reads/lists.ts';
import type { QueryHandle } from '../reads/query.ts';
import type { Rows } from '../reads/window.ts';
import { useQuery } from './use-query.ts';
import { useRows } from './use-rows.ts';
import { useViews } from './views-context.ts';

const listUsers: ReadRange<User> = (client, query, signal) => client.user.list({ query }, { signal });
const listSessions: ReadRange<Session> = (client, query, signal) => client.user.sessions({ query }, { signal });

/** Reads the users while `active`. */
export const useUsers = (active: boolean): Rows<User> => useRows(listUsers, active);

/** Reads the policy. */
export function useUserPolicy(active: boolean): QueryHandle<UserPolicy> {
  const { client, online } = useViews();
  const read = useCallback((signal: AbortSignal) => client.user.policy({}, { signal }), [client]);
  return useQuery(read, { enabled: online && active });
}

/** Reads the own sessions while `active`. The server refuses API tokens here. */
export function useSessions(active: boolean): Rows<Session> {
  const { me } = useViews();
  return useRows(listSessions, active && me.credential.kind === 'session');
}
