// Resources of affected hosts that were over their usual limits when an error began on each. They are shown beside the
// suspected changes and have no strength: a full disk may be the cause of an error, or follow from it.
import {
  fullestDisk,
  type OverLimit,
  RESOURCE_LIMITS,
  type Resource,
  usedPercent,
  type VitalsSample,
} from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { countOverLimits, hostsOverLimits } from '../vitals/resource-use.repo.ts';
import { timesAbove } from '../vitals/time-above.ts';
import { readVitalsOf } from '../vitals/vitals.repo.ts';
import { plural } from './change-text.ts';
import type { AgentSpan } from './spans.ts';

/** The judged resources, the most telling first. The load follows from processors and disks. */
const JUDGED = ['disk', 'memory', 'cpu'] as const satisfies readonly Resource[];
/** Time before an error in which a resource over its limit counts: a host may report once a minute. */
const BEFORE_MS = 2 * 60_000;
/** Time that is looked back for the minute at which a resource went over its limit. */
const SINCE_MS = 6 * 3_600_000;
/** Hosts of one read. */
const SLICE = 1_000;
const UNPACKED_AT_ONCE = 20;
/** Hosts whose minutes are read. If more were over a limit in that hour, the others are left out. */
const UNPACKED_MAX = 100;
/** Hosts that are named. */
const NAMED_MAX = 3;
const DAY_S = 86_400;

/** A resource over its limit, without the names of its hosts. */
export interface FoundOverLimit extends Omit<OverLimit, 'agents' | 'explanation'> {
  readonly agents: readonly (Omit<OverLimit['agents'][number], 'hostname'> & {
    /** It was over the limit in all of the time that was looked at. */
    readonly isEarlier: boolean;
  })[];
}

/** Finds the resources over their usual limits, where most hosts without the error were not over them as well. */
export async function findOverLimits(
  { read }: Database,
  spans: readonly AgentSpan[],
  haveError: readonly number[],
  eventLoop: EventLoopYield,
): Promise<FoundOverLimit[]> {
  const around = spans.map(({ agent, atMs, reportedMs }) => ({
    agentId: agent,
    fromMs: atMs - BEFORE_MS,
    toMs: reportedMs,
  }));
  let reported = 0;
  const candidates: number[] = [];
  await eventLoop.inParts(around, SLICE, async (part) => {
    for (const { agentId, over } of await hostsOverLimits(read, part)) {
      reported += 1;
      if (JUDGED.some((resource) => over.includes(resource))) candidates.push(agentId);
    }
  });
  if (candidates.length === 0) return [];

  const isCandidate = new Set(candidates.slice(0, UNPACKED_MAX));
  const peaks: Peak[] = [];
  await eventLoop.inParts(
    around.filter(({ agentId }) => isCandidate.has(agentId)),
    UNPACKED_AT_ONCE,
    async (part) => {
      for (const [agentId, samples] of await readVitalsOf(read, part)) peaks.push(...peaksOf(agentId, samples));
    },
  );
  const span = [Math.min(...around.map(({ fromMs }) => fromMs)), Math.max(...around.map(({ toMs }) => toMs))] as const;
  const others = await countOverLimits(read, span, haveError);
  const found: FoundOverLimit[] = [];
  for (const resource of JUDGED) {
    const over = peaks.filter((peak) => peak.resource === resource).sort((a, b) => b.percent - a.percent);
    const isCommon = others[resource] * 2 > others.hosts;
    if (over.length === 0 || isCommon) continue;
    found.push({
      resource,
      limit: RESOURCE_LIMITS[resource],
      affected: { with: over.length, of: reported },
      unaffected: { with: others[resource], of: others.hosts },
      agents: await withSince(read, over.slice(0, NAMED_MAX), around),
    });
  }
  return found;
}

/** The highest use of a resource by a host around the start of an error. */
interface Peak {
  readonly agentId: number;
  readonly resource: Resource;
  readonly percent: number;
  readonly path: string;
}

function peaksOf(agentId: number, samples: readonly VitalsSample[]): Peak[] {
  return JUDGED.flatMap((resource): Peak[] => {
    let highest: Peak | undefined;
    for (const sample of samples) {
      const percent = usedPercent(sample, resource);
      if (percent === null || percent <= (highest?.percent ?? RESOURCE_LIMITS[resource])) continue;
      const path = resource === 'disk' ? (fullestDisk(sample)?.path ?? '') : '';
      highest = { agentId, resource, percent, path };
    }
    return highest === undefined ? [] : [highest];
  });
}

/** Finds since when hosts are over the limit. */
async function withSince(
  read: Database['read'],
  peaks: readonly Peak[],
  around: readonly { readonly agentId: number; readonly fromMs: number; readonly toMs: number }[],
): Promise<FoundOverLimit['agents']> {
  const isNamed = new Set(peaks.map(({ agentId }) => agentId));
  const spans = around
    .filter(({ agentId }) => isNamed.has(agentId))
    .map((span) => ({ ...span, fromMs: span.fromMs - SINCE_MS }));
  const vitals = await readVitalsOf(read, spans);
  return peaks.map(({ agentId, resource, percent, path }) => {
    const samples = vitals.get(agentId) ?? [];
    const [first] = samples;
    const since = timesAbove(samples, resource, RESOURCE_LIMITS[resource]).at(-1)?.sinceS ?? 0;
    return { id: agentId, path, percent: Math.round(percent * 10) / 10, since, isEarlier: first?.time === since };
  });
}

const NAMES: Readonly<Record<Resource, string>> = { cpu: 'CPU', memory: 'memory', disk: 'disk', load: 'load' };

/**
 * Names the hosts, and says it in a sentence: `The disk /var of gw-7 was 100 %, over 90 % since 03:02 UTC; none of 37
 * others was.`
 *
 * @param timeS time of the error, Unix seconds: other days are written with their dates
 */
export function describeOverLimit(
  { agents: found, ...over }: FoundOverLimit,
  hostnames: ReadonlyMap<number, string>,
  timeS: number,
): OverLimit {
  const { resource, limit, affected, unaffected } = over;
  const agents = found.map(({ isEarlier, ...agent }) => ({ ...agent, hostname: hostnames.get(agent.id) ?? '' }));
  const since = found.map(
    ({ since: sinceS, isEarlier }) => `since ${isEarlier ? 'before ' : ''}${clockOf(sinceS, timeS)}`,
  );
  const [first] = agents;
  const others = othersText(unaffected);
  const name = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' ');
  const named = agents.map(({ hostname, path, percent }, i) =>
    name(hostname, path, percentText(percent), since[i] ?? ''),
  );
  const more = affected.with - agents.length;
  const hosts = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const explanation =
    affected.with === 1 && first !== undefined
      ? `The ${name(NAMES[resource], first.path)} of ${first.hostname} was ${percentText(first.percent)}, over ${limit} % ${since[0]}; ${others}.`
      : `The ${NAMES[resource]} of ${affected.with} of ${affected.of} hosts was over ${limit} % (${hosts}); ${others}.`;
  return { ...over, agents, explanation };
}

const percentText = (percent: number): string => `${Math.round(percent)} %`;

/** `03:02 UTC`, with its date on another day than that of the error. */
function clockOf(seconds: number, timeS: number): string {
  const text = `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return Math.floor(seconds / DAY_S) === Math.floor(timeS / DAY_S) ? text.slice(11) : text;
}

function othersText({ with: n, of }: OverLimit['unaffected']): string {
  if (of === 0) return 'no other host has reported its use';
  return `${n === 0 ? 'none' : n} of ${of} ${plural(of, 'other')} ${n > 1 ? 'were' : 'was'}`;
}
