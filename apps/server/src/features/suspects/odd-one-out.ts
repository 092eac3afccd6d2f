// Odd one out: how failing hosts differ from healthy hosts of the same sort at the time of the first error.
import { AppError, type ErrlogEntry, ODD_HOSTS_MAX, type OddList, type OddOne } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { SourceAccess } from '@quarterdeck/store';
import { FLEET_NOW, fleetAt } from '../agent/records/fleet-at.repo.ts';
import { affectedGroups } from './affected-groups.ts';
import { hostnamesOf, labelsOfSome } from './agents.repo.ts';
import {
  agentsOfService,
  agentsWithLabel,
  certificateFields,
  changeFields,
  factFields,
  hostsOf,
  vitalsFields,
} from './odd.repo.ts';
import { rankDifferences } from './odd-rank.ts';

/** Failing hosts, and what is known of the failure. */
export interface OddQuery {
  readonly failing: readonly number[];
  /** Time of the first error, Unix milliseconds. */
  readonly atMs: number;
  /** Service of the error; empty is none. */
  readonly service: string;
  /** Agents that the caller may see; undefined for all. */
  readonly seen?: ReadonlySet<number> | undefined;
}

/** A moment that counts as now. */
const PRESENT_MS = 60_000;
/** Hosts that are twins at least; otherwise they are looked for by less. */
const TWINS_MIN = 2;
/** Failing hosts that are compared. */
const FAILING_MAX = 1_000;
/** Twins that are compared; of more, some are chosen evenly. */
const TWINS_MAX = 1_000;
/** Common labels that are looked at. */
const LABELS_MAX = 20;

/** The answer for callers that may not read agents. */
export const hiddenOdd = (atMs: number): OddList => ({
  data: [],
  meta: { count: 0, time: Math.floor(atMs / 1000), failing: 0, twins: 0, twins_by: '', complete: false },
});

/** Compares failing hosts with their twins. */
export async function findOdd(db: Database, query: OddQuery, nowMs: number): Promise<OddList> {
  const { atMs, seen } = query;
  const fleet = nowMs - atMs < PRESENT_MS ? FLEET_NOW : fleetAt(db.dialect, atMs, nowMs);
  const hosts = (await hostsOf(db, fleet)).filter((id) => seen?.has(id) !== false);
  const present = new Set(hosts);
  const failing = query.failing.filter((id) => present.has(id)).slice(0, FAILING_MAX);
  const isFailing = new Set(query.failing);
  const healthy = hosts.filter((id) => !isFailing.has(id));
  const { twins, by } = await twinsOf(db, failing, healthy, query.service);
  const compared = spread(twins, TWINS_MAX);
  const ids = JSON.stringify([...failing, ...compared]);
  const changes = await changeFields(db, ids, atMs);
  const fields = [
    ...changes.fields,
    ...(await factFields(db, fleet, ids)),
    ...(await certificateFields(db, ids, failing, atMs)),
    ...(await vitalsFields(db, ids, atMs)),
  ];
  const ranked = rankDifferences(fields, failing, compared);
  const named = ranked.flatMap(({ agents }) => agents.slice(0, ODD_HOSTS_MAX));
  const hostnames = await hostnamesOf(db, named);
  const data = ranked.map(
    ({ score, agents, ...difference }): OddOne => ({
      ...difference,
      score: Math.round(score * 1000) / 1000,
      agents: agents.slice(0, ODD_HOSTS_MAX).map((id) => ({ id, hostname: hostnames.get(id) ?? '' })),
    }),
  );
  const meta = { count: data.length, time: Math.floor(atMs / 1000), failing: failing.length, twins: twins.length };
  return {
    data,
    meta: { ...meta, twins_by: by, complete: changes.all && failing.length === query.failing.length },
  };
}

/** Items of a list that are spread evenly over it, `max` at most. */
const spread = (items: readonly number[], max: number): readonly number[] =>
  items.length <= max
    ? items
    : items.filter((_, i) => Math.floor((i * max) / items.length) !== Math.floor(((i - 1) * max) / items.length));

/** Healthy hosts of the same sort: by the labels that all failing hosts have, by the service, or all. */
async function twinsOf(db: Database, failing: readonly number[], healthy: readonly number[], service: string) {
  const labels = (await labelsOfSome(db, failing)).filter(({ n }) => n === failing.length).slice(0, LABELS_MAX);
  let twins: readonly number[] = healthy;
  const names: string[] = [];
  for (const { name, value } of labels) {
    const having = await agentsWithLabel(db, name, value);
    const narrowed = twins.filter((id) => having.has(id));
    // A label of the failing hosts alone is a difference, and makes no twins.
    if (narrowed.length < TWINS_MIN) continue;
    twins = narrowed;
    names.push(value === '' ? name : `${name}=${value}`);
  }
  if (names.length > 0) return { twins, by: names.join(', ') };
  if (service !== '') {
    const having = await agentsOfService(db, service);
    const narrowed = healthy.filter((id) => having.has(id));
    if (narrowed.length >= TWINS_MIN) return { twins: narrowed, by: `service ${service}` };
  }
  return { twins: healthy, by: '' };
}

const WORDS: Readonly<Record<OddOne['kind'], string>> = {
  config: 'the file',
  package: 'the package',
  program: 'the program',
  fact: '',
  certificate: 'the certificate',
  container: 'the container',
  unit: 'the unit',
  dns: 'DNS',
  time_zone: 'the time zone',
  vitals: '',
};
/** Score of a difference that a message names. */
const NAMED_SCORE = 0.6;

/**
 * The best difference in a sentence, such as `2 of 2 failing hosts differ from 38 twins in libc: 2.41, others 2.36.`;
 * undefined where none separates well.
 */
export function oddText({ data, meta }: OddList): string | undefined {
  const [best] = data;
  if (best === undefined || best.score < NAMED_SCORE) return undefined;
  const { kind, field, value, twins, agents } = best;
  const name = [WORDS[kind], field].filter(Boolean).join(' ');
  const who =
    meta.failing === 1 ? 'The failing host differs' : `${agents.length} of ${meta.failing} failing hosts differ`;
  const others = twins === '' ? 'unchanged there' : `${twins} there`;
  return `${who} from ${meta.twins} twins in ${name}: ${value}, ${others}.`;
}

/** An error, and what the caller may see. */
interface OddErrorQuery {
  readonly group: ErrlogEntry;
  readonly showsAgents: boolean;
  readonly access?: SourceAccess | undefined;
}

/**
 * Compares the hosts of an error with their twins.
 *
 * @throws AppError `not_found`
 */
export async function oddOfError(
  db: Database,
  { group, showsAgents, access }: OddErrorQuery,
  nowMs: number,
): Promise<OddList> {
  const { fingerprint = '', level, app_id: appId = 0, service = '' } = group;
  const { groups, complete } = await affectedGroups(db, { fingerprint, level, appId }, new EventLoopYield());
  const seen = groups.filter(({ src }) => access?.has({ src, service }) !== false);
  if (seen.length === 0) throw new AppError('not_found');
  const atMs = seen.reduce((least, { began }) => Math.min(least, began), Number.POSITIVE_INFINITY) * 1000;
  if (!showsAgents) return hiddenOdd(atMs);
  const failing = [...new Set(seen.map(({ agent }) => agent).filter((agent) => agent > 0))];
  const odd = await findOdd(db, { failing, atMs, service, seen: access?.agents }, nowMs);
  return { ...odd, meta: { ...odd.meta, complete: odd.meta.complete && complete } };
}
