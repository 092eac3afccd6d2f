// Requests about users, their policy, and the own sessions.
import type { Client, Session, User, UserPolicy } from '@quarterdeck/sdk';
import type { ReadRange } from '../reads/lists.ts';
import type { QueryHandle } from '../reads/query.ts';
import type { Rows } from '../reads/window.ts';
import { useRead } from './use-query.ts';
import { useRows } from './use-rows.ts';
import { useViews } from './views-context.ts';

const listUsers: ReadRange<User> = (client, query, signal) => client.user.list({ query }, { signal });
const readPolicy = (client: Client, signal: AbortSignal) => client.user.policy({}, { signal });
const listSessions: ReadRange<Session> = (client, query, signal) => client.user.sessions({ query }, { signal });

/** Reads the users while `active`. */
export const useUsers = (active: boolean): Rows<User> => useRows(listUsers, active);

export const useUserPolicy = (active: boolean): QueryHandle<UserPolicy> => useRead(readPolicy, active);

/** Reads the own sessions while `active`. The server refuses API tokens here. */
export function useSessions(active: boolean): Rows<Session> {
  const { me } = useViews();
  return useRows(listSessions, active && me.credential.kind === 'session');
}
