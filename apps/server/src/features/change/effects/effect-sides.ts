// The hosts that made a change, and those that did not.
import { type Change, onlineWithinMs } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import type { GroupCounts } from '@quarterdeck/store';
import { agentsThatFollowed, agentsWith, nextAgents } from './effect-sides.repo.ts';

/** Agents of one read. The event loop is free between two of them. */
const SLICE = 2_000;

/** A host: the id of its agent, or the name of a source without an agent. */
export type Host = number | string;

/** The two sides of a comparison. */
export interface EffectSides {
  readonly own: ReadonlySet<Host>;
  readonly others: ReadonlySet<Host>;
  /** Number of agents that made the change and did not report in time, at a moment in Unix milliseconds. */
  silentOwn(atMs: number): number;
  /** Host of a group and its side; undefined where it counts for neither. Sources without an agent join their side. */
  hostOf(group: Pick<GroupCounts, 'agent' | 'name' | 'address'>): { host: Host; isOwn: boolean } | undefined;
}

/** Finds the sides of a change: agents that reported since `fromMs`, and sources without agents as they are found. */
export async function effectSides(
  db: Database,
  change: Change,
  span: { readonly fromMs: number; readonly toMs: number },
  eventLoop: EventLoopYield,
): Promise<EffectSides> {
  const made = await agentsWith(db, change);
  const followed = await agentsThatFollowed(db, change, span);
  const [own, others] = [new Set<Host>(), new Set<Host>()];
  const [byHostname, byAddress] = [new UniqueIds(), new UniqueIds()];
  /** Times until which agents count as reporting, Unix milliseconds. */
  const reportingMs: number[] = [];
  for (let last = 0; ; ) {
    await eventLoop.pause();
    const agents = await nextAgents(db, span.fromMs, last, SLICE);
    for (const { id: agent, hostname, ip, present, reportedMs, intervalS } of agents) {
      if (present === 0) continue;
      byHostname.add(hostname, agent);
      byAddress.add(ip, agent);
      if (made.has(agent)) {
        own.add(agent);
        reportingMs.push(reportedMs + onlineWithinMs(intervalS));
      } else if (!followed.has(agent)) others.add(agent);
    }
    if (agents.length < SLICE) break;
    last = agents.at(-1)?.id ?? 0;
  }
  const named = new Set(change.hosts);

  return {
    own,
    others,
    silentOwn: (atMs) => reportingMs.filter((untilMs) => untilMs < atMs).length,
    hostOf({ agent: known, name: source, address }) {
      // The address of a named sender may be that of a relay.
      const agent = known || byHostname.get(source) || (source === address ? byAddress.get(source) : 0);
      const host = agent === 0 ? source : agent;
      if (agent === 0 && !own.has(host)) (named.has(source) ? own : others).add(host);
      if (own.has(host)) return { host, isOwn: true };
      return others.has(host) ? { host, isOwn: false } : undefined;
    },
  };
}

/** Ids by text; 0 for a text with none or several. */
class UniqueIds {
  readonly #ids = new Map<string, number>();

  add(text: string, id: number): void {
    this.#ids.set(text, this.#ids.has(text) ? 0 : id);
  }

  get(text: string): number {
    return (text === '' ? undefined : this.#ids.get(text)) ?? 0;
  }
}
