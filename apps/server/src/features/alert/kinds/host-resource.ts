// Rules of the kind `host.resource`: processors, memory, a disk or the load of a host is above a limit.
import {
  type AlertConditionState,
  fullestDisk,
  type Resource,
  secondsUntilFull,
  unixSeconds,
  usedPercent,
  type VitalsSample,
} from '@quarterdeck/core';
import { hostsAbove, hostsOnceAbove, type ResourceUse } from '../../vitals/resource-use.repo.ts';
import { HYSTERESIS, timesAbove } from '../../vitals/time-above.ts';
import { readVitals } from '../../vitals/vitals.repo.ts';
import {
  CAUSES_MAX,
  type Cause,
  type Episode,
  isPresent,
  type KindNeeds,
  type LastingKind,
  type Round,
  TIME_OVER,
  type WatchingRule,
} from './kind.ts';
import { explainAgents } from './matching.ts';
import { agentCause, agentReader } from './watched-agents.ts';
import { durationText, timeText } from './words.ts';

/** Hosts of one read. */
const HOSTS_MAX = 5_000;
/** Hosts whose last hours are read, those that are notified first; and the hours. */
const DETAILED_MAX = 100;
const HOURS_MS = 6 * 3_600_000;
/** A host whose vitals are older is silent: it begins no alert, and an alert of it goes on. */
const SILENT_MS = 5 * 60_000;
/** Hosts of one read of packed vitals. */
const AT_ONCE = 20;
/** Hosts that an explanation shows, and those that it unpacks. */
const SHOWN = 3;
const EXPLAINED_MAX = 200;

const NO_VITALS = 'No host has reported how much it uses: newer agents do.';
const OF_MINUTES = 'Only hosts with the highest values of that hour were looked at.';

/** Times and the path of a host that is above the limit. */
interface Detail {
  readonly seenMs: number;
  readonly sinceMs: number;
  readonly path: string | undefined;
  readonly fullInS: number | undefined;
}

export function hostResource(deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): LastingKind {
  const readAgents = agentReader(deps);
  const details = new Map<string, Detail>();

  async function matching(round: Round, rule: WatchingRule, hosts: readonly ResourceUse[]) {
    if (rule.filter === '') return hosts;
    const ids = hosts.map(({ agentId }) => agentId);
    const agents = await readAgents(round, rule, ids);
    return hosts.filter(({ agentId }) => agents.has(agentId));
  }

  /** Reads since when hosts are above the limit. It is remembered until their next vitals. */
  async function readDetails(round: Round, rule: WatchingRule, hosts: readonly ResourceUse[]): Promise<void> {
    const { resource, count } = rule;
    const isKnown = ({ agentId, seenMs }: ResourceUse) => details.get(keyOf(rule, agentId))?.seenMs === seenMs;
    const unknown = hosts.slice(0, DETAILED_MAX).filter((host) => !isKnown(host));
    await round.eventLoop.inParts(unknown, AT_ONCE, async (part) => {
      const ids = part.map(({ agentId }) => agentId);
      const vitals = await readVitals(round.read, ids, round.nowMs - HOURS_MS, round.nowMs);
      for (const { agentId, seenMs } of part) {
        details.delete(keyOf(rule, agentId));
        details.set(keyOf(rule, agentId), detailOf(vitals.get(agentId) ?? [], resource, count, seenMs));
      }
    });
    for (const key of details.keys()) {
      if (details.size <= REMEMBERED_MAX) break;
      details.delete(key);
    }
  }

  return {
    ends: true,

    async active(round, rule, open) {
      const { resource, count } = rule;
      const read = await round.once(`above ${resource} ${count}`, () =>
        hostsAbove(round.read, resource, Math.max(0, count - HYSTERESIS), round.nowMs, HOSTS_MAX),
      );
      const isOpen = ({ agentId }: ResourceUse) => open.has(agentCause(agentId));
      const lasts = read.filter(
        (host) => isOpen(host) || (host.percent > count && round.nowMs - host.seenMs <= SILENT_MS),
      );
      const hosts = await matching(round, rule, lasts);
      await readDetails(round, rule, hosts);
      return {
        causes: hosts
          .slice(0, CAUSES_MAX)
          .map((host) => causeOf(host, rule, details.get(keyOf(rule, host.agentId)), round.nowMs)),
        more: Math.max(0, hosts.length - CAUSES_MAX),
      };
    },

    async explain(round, rule, atMs) {
      const { conditions } = await explainAgents(deps)(round, rule, atMs);
      const { resource, count } = rule;
      const now = isPresent(round, atMs);
      const found = await matching(
        round,
        rule,
        now
          ? await hostsAbove(round.read, resource, -1, round.nowMs, HOSTS_MAX)
          : await hostsOnceAbove(round.read, resource, -1, [atMs, atMs], EXPLAINED_MAX),
      );
      const then = now ? found : await usesAt(round, found, resource, atMs);
      const shown = then.slice(0, SHOWN).map(({ hostname, percent }): AlertConditionState => {
        const value = Math.round(percent * 10) / 10;
        const text = `${NAMES[resource]} of ${hostname}: ${value} %, more than ${count} % are needed`;
        return { name: 'used', value, limit: count, met: percent > count, text };
      });
      const none: AlertConditionState = { name: 'used', value: null, limit: count, met: false, text: NO_VITALS };
      return {
        conditions: [...conditions, ...(shown.length === 0 ? [none] : shown)],
        whyIncomplete: !now && found.length === EXPLAINED_MAX ? OF_MINUTES : undefined,
      };
    },

    async replay(round, rule, fromMs) {
      const { read, nowMs, eventLoop } = round;
      const { resource, count } = rule;
      const once = await hostsOnceAbove(read, resource, count, [fromMs, nowMs], HOSTS_MAX);
      const hosts = await matching(round, rule, once);
      const episodes: Episode[] = [];
      let isCut = once.length === HOSTS_MAX;
      await eventLoop.inParts([...hosts], AT_ONCE, async (part) => {
        isCut ||= round.stopped();
        if (isCut) return;
        const vitals = await readVitals(
          read,
          part.map(({ agentId }) => agentId),
          fromMs,
          nowMs,
        );
        for (const host of part) {
          for (const { sinceS, untilS, highest } of timesAbove(vitals.get(host.agentId) ?? [], resource, count)) {
            const title = `${NAMES[resource]} of ${host.hostname}: up to ${percentText(highest)}`;
            const untilMs = untilS === null ? null : untilS * 1000;
            const silent = host.maintenance === 1;
            episodes.push({ key: agentCause(host.agentId), title, sinceMs: sinceS * 1000, untilMs, silent });
          }
        }
      });
      return { episodes, whyIncomplete: isCut ? TIME_OVER : undefined };
    },
  };
}

/** Details in memory. */
const REMEMBERED_MAX = 10_000;

const NAMES: Readonly<Record<Resource, string>> = { cpu: 'CPU', memory: 'memory', disk: 'disk', load: 'load' };

const percentText = (percent: number): string => `${Math.round(percent)} %`;

const keyOf = ({ resource, count }: WatchingRule, agentId: number): string => `${resource} ${count} ${agentId}`;

function detailOf(samples: readonly VitalsSample[], resource: Resource, limit: number, seenMs: number): Detail {
  const last = samples.at(-1);
  const time = timesAbove(samples, resource, limit).at(-1);
  const path = resource === 'disk' && last !== undefined ? fullestDisk(last)?.path : undefined;
  return {
    seenMs,
    sinceMs: time === undefined || time.untilS !== null ? seenMs : time.sinceS * 1000,
    path,
    fullInS: path === undefined ? undefined : secondsUntilFull(samples, path),
  };
}

function causeOf(host: ResourceUse, rule: WatchingRule, detail: Detail | undefined, nowMs: number): Cause {
  const { agentId, hostname, percent, maintenance, seenMs } = host;
  const { resource, count } = rule;
  const { sinceMs = seenMs, path, fullInS } = detail ?? {};
  const full = fullInS === undefined ? '' : `, full in ${durationText(fullInS * 1000)}`;
  const name = `${NAMES[resource]}${path === undefined ? '' : ` ${path}`} of ${hostname === '' ? `agent ${agentId}` : hostname}`;
  return {
    key: agentCause(agentId),
    title: `${name}: ${percentText(percent)} since ${timeText(sinceMs)}, limit ${count} %${full}`,
    detail: {
      agent_id: agentId,
      hostname,
      resource,
      percent: Math.round(percent * 10) / 10,
      limit: count,
      ...(path === undefined ? {} : { path }),
      ...(fullInS === undefined ? {} : { full: unixSeconds(nowMs) + Math.round(fullInS) }),
    },
    sinceMs: Math.min(sinceMs, nowMs),
    silent: maintenance === 1,
  };
}

/** Uses of hosts at a minute of the past, the highest first. */
async function usesAt(round: Round, hosts: readonly ResourceUse[], resource: Resource, atMs: number) {
  const uses: ResourceUse[] = [];
  await round.eventLoop.inParts([...hosts], AT_ONCE, async (part) => {
    const ids = part.map(({ agentId }) => agentId);
    const vitals = await readVitals(round.read, ids, atMs - SILENT_MS, atMs);
    for (const host of part) {
      const last = vitals.get(host.agentId)?.findLast((sample) => usedPercent(sample, resource) !== null);
      if (last !== undefined) uses.push({ ...host, percent: usedPercent(last, resource) ?? 0 });
    }
  });
  return uses.sort((a, b) => b.percent - a.percent);
}
