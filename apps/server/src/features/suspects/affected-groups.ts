// The groups of an error on all sources, each with the agent of its host.
import type { Database } from '@quarterdeck/core/db';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { type ErrorKey, errlogStore, type SourceGroup } from '@quarterdeck/store';
import { hostsNamed } from './agents.repo.ts';

/** Groups of one read. The event loop is free between two of them. */
const SLICE = 1_000;
/** Most groups of an error that are read. */
const GROUPS_MAX = 20_000;

/** A group of the error. `agent` is 0 where none is known. */
export type AffectedGroup = Pick<SourceGroup, 'id' | 'src' | 'count' | 'began' | 'agent'>;

/** The groups of an error, by source. `complete`: all of them. */
export async function affectedGroups(
  db: Database,
  key: ErrorKey,
  eventLoop: EventLoopYield,
): Promise<{ groups: AffectedGroup[]; complete: boolean }> {
  const store = errlogStore(db);
  const groups: SourceGroup[] = [];
  while (groups.length < GROUPS_MAX) {
    const slice = await store.groupsOfError(key, groups.at(-1)?.src ?? -1, SLICE);
    groups.push(...slice);
    if (slice.length < SLICE) return { groups: await withHosts(db, groups), complete: true };
    await eventLoop.pause();
  }
  return { groups: await withHosts(db, groups), complete: false };
}

/**
 * Assigns sources without an agent, such as those of syslog, to the agent of their host. That is the only agent with
 * their name as its hostname or, if the sender gave no name, with their address. The address of a named sender may be
 * that of a relay. Hosts change their names and addresses, so the result is not stored.
 */
export async function withHosts<Group extends Pick<SourceGroup, 'agent' | 'name' | 'address'>>(
  db: Database,
  groups: readonly Group[],
): Promise<Group[]> {
  const names = new Set(groups.filter(({ agent }) => agent === 0).map(({ name }) => name));
  if (names.size === 0) return [...groups];
  const hosts = await hostsNamed(db, [...names]);
  const byHostname = uniqueIds(hosts.map(({ id, hostname }) => [hostname, id]));
  const byAddress = uniqueIds(hosts.map(({ id, ip }) => [ip, id]));
  return groups.map((group) => {
    if (group.agent !== 0 || group.name === '') return group;
    const nameless = group.name === group.address;
    return { ...group, agent: byHostname.get(group.name) ?? (nameless ? byAddress.get(group.name) : undefined) ?? 0 };
  });
}

/** The id of each key; 0 for a key with several. */
function uniqueIds(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, id] of pairs) found.set(key, found.has(key) ? 0 : id);
  return found;
}
