// Rules of the kind `certificate.expiring`: a certificate on hosts expires soon, or has expired.
import type { AlertConditionState } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import {
  changesNear,
  expiringCertificates,
  PLACES_MAX,
  type PlacedCertificate,
  replacedSince,
  successorsOf,
} from './certificates.repo.ts';
import {
  CAUSES_MAX,
  type Cause,
  type Ending,
  type Episode,
  isPresent,
  type KindNeeds,
  type LastingKind,
  type Round,
  type WatchingRule,
} from './kind.ts';
import { explainAgents } from './matching.ts';
import { agentReader } from './watched-agents.ts';
import { countText, durationText, timeText } from './words.ts';

const PREFIX = 'certificate:';
/** Time before a renewal in which a change belongs to it. Agents look every minute. */
const BEFORE_MS = 3_600_000;
/** A host may report its change by a clock that is ahead. */
const AFTER_MS = 60_000;

/** Alert of a certificate -> its end, for those that another certificate replaced. */
async function renewalsOf(read: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Ending>> {
  const former = keys.flatMap((key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : []));
  if (former.length === 0) return new Map();
  const found = Map.groupBy(await successorsOf(read, former), ({ formerFingerprint }) => formerFingerprint);
  const endings = new Map<string, Ending>();
  for (const [fingerprint, places] of found) endings.set(`${PREFIX}${fingerprint}`, await endingOf(read, places));
  return endings;
}

async function endingOf(read: Tx, places: readonly PlacedCertificate[]): Promise<Ending> {
  const [first] = places as [PlacedCertificate];
  const [one, ...others] = places.slice(0, NAMED).map(({ place, hostname }) => `${place} on ${hostname}`);
  const more = places.length > NAMED ? [countText(places.length - NAMED, 'more place')] : [];
  const all = [one, ...others, ...more].join(', ');
  const near = await changesNear(read, first, first.foundMs - BEFORE_MS, first.foundMs + AFTER_MS);
  const own = near.find(({ kind }) => kind === 'certificate');
  const cause = near.find(({ changeId }) => changeId > 0);
  const by =
    cause === undefined ? '' : `, ${durationText(first.foundMs - cause.timeMs)} after the change "${cause.name}"`;
  return {
    title: `Certificate ${first.subject} was renewed until ${timeText(first.expireMs)}${by}: ${all}`,
    detail: {
      subject: first.subject,
      fingerprint: first.fingerprint,
      former: first.formerFingerprint,
      expire: first.expireMs / 1000,
      places: places.length,
      sample: places.slice(0, SAMPLE).map(({ agentId, hostname, place, expireMs }) => ({
        agent_id: agentId,
        hostname,
        place,
        expire: expireMs / 1000,
      })),
      ...(own && { entry: { agent_id: first.agentId, id: own.id, time: own.timeMs / 1000 } }),
      ...(cause && { change: { id: cause.changeId, name: cause.name, time: cause.timeMs / 1000 } }),
    },
  };
}

const DAY_MS = 86_400_000;
/** A certificate that expired longer ago is not in use. */
const EXPIRED_MS = 30 * DAY_MS;
/** Places that a title names, and those in the detail of an alert. */
const NAMED = 3;
const SAMPLE = 15;
/** Certificates that an explanation shows, and the places that it looks at. */
const SHOWN = 3;
const EXPLAINED_MAX = 5_000;

const REMOVED = 'Certificates that were replaced or removed since are not counted.';
const NO_CERTIFICATES = 'No agent has reported a certificate: set QUARTERDECK_AGENT_CERTIFICATES on the hosts.';

export function certificateExpiring(deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): LastingKind {
  const readAgents = agentReader(deps);

  /** Leaves out places of agents that do not match the filter of a rule. */
  async function matching(
    round: Round,
    rule: WatchingRule,
    places: readonly PlacedCertificate[],
  ): Promise<readonly PlacedCertificate[]> {
    if (rule.filter === '') return places;
    const agents = await readAgents(
      round,
      rule,
      places.map(({ agentId }) => agentId),
    );
    return places.filter(({ agentId }) => agents.has(agentId));
  }

  return {
    ends: true,

    async active(round, rule, open) {
      const { nowMs, once, read } = round;
      const untilMs = nowMs + rule.withinS * 1000;
      const found = await once(`certificates ${untilMs}`, () =>
        expiringCertificates(round, nowMs - EXPIRED_MS, untilMs),
      );
      const certificates = byFingerprint(await matching(round, rule, found));
      const causes = [...certificates.values()].map((places) => causeOf(places, rule.withinS, nowMs));
      const now = new Set(causes.map(({ key }) => key));
      const gone = [...open].filter((key) => !now.has(key));
      // Beyond the places of one read it is not known which certificates have ended.
      if (found.length >= PLACES_MAX && gone.length > 0) return undefined;
      return {
        causes: causes.slice(0, CAUSES_MAX),
        more: Math.max(0, causes.length - CAUSES_MAX),
        endings: await renewalsOf(read, gone),
      };
    },

    async explain(round, rule, atMs) {
      const { conditions } = await explainAgents(deps)(round, rule, atMs);
      const found = await expiringCertificates(round, atMs - EXPIRED_MS, Number.MAX_SAFE_INTEGER, EXPLAINED_MAX);
      const places = (await matching(round, rule, found)).filter(({ foundMs }) => foundMs <= atMs);
      const certificates = [...byFingerprint(places).values()];
      const days = Math.floor((rule.withinS * 1000) / DAY_MS);
      const nearest = certificates.slice(0, SHOWN).map(([first]): AlertConditionState => {
        const { subject, place, hostname, expireMs } = first as PlacedCertificate;
        const text = `Certificate ${subject} ${leftText(expireMs, atMs)}, ${days} d are looked at: ${place} on ${hostname}`;
        const met = expireMs - atMs <= rule.withinS * 1000;
        return { name: 'days', value: Math.floor((expireMs - atMs) / DAY_MS), limit: days, met, text };
      });
      const none: AlertConditionState = { name: 'days', value: null, limit: days, met: false, text: NO_CERTIFICATES };
      return {
        conditions: [...conditions, ...(nearest.length === 0 ? [none] : nearest)],
        whyIncomplete: isPresent(round, atMs) ? undefined : REMOVED,
      };
    },

    async replay(round, rule, fromMs) {
      const { nowMs, read } = round;
      const withinMs = rule.withinS * 1000;
      const present = await matching(
        round,
        rule,
        await expiringCertificates(round, fromMs - EXPIRED_MS, nowMs + withinMs),
      );
      const episodes = [...byFingerprint(present).values()].map(
        (places): Episode => ({ ...causeOf(places, rule.withinS, nowMs), untilMs: null }),
      );
      const known = new Set(episodes.map(({ key }) => key));
      for (const successor of await matching(round, rule, await replacedSince(read, fromMs))) {
        const { formerFingerprint, formerExpireMs, foundMs, place, hostname, maintenance } = successor;
        const key = keyOf(formerFingerprint);
        if (known.has(key) || formerExpireMs - withinMs > foundMs) continue;
        known.add(key);
        const title = `A certificate that expired at ${timeText(formerExpireMs)} was replaced: ${place} on ${hostname}`;
        const silent = maintenance === 1;
        episodes.push({ key, title, sinceMs: formerExpireMs - withinMs, untilMs: foundMs, silent });
      }
      return {
        episodes: episodes.filter(({ sinceMs }) => sinceMs >= fromMs),
        whyIncomplete: REMOVED,
      };
    },
  };
}

const keyOf = (fingerprint: string): string => `certificate:${fingerprint}`;

const byFingerprint = (places: readonly PlacedCertificate[]): Map<string, PlacedCertificate[]> =>
  Map.groupBy(places, ({ fingerprint }) => fingerprint);

/** Time that is left, or has passed since: `expires in 3 d 4 h`. */
const leftText = (expireMs: number, nowMs: number): string =>
  expireMs > nowMs ? `expires in ${durationText(expireMs - nowMs)}` : `expired ${durationText(nowMs - expireMs)} ago`;

function causeOf(places: readonly PlacedCertificate[], withinS: number, nowMs: number): Cause {
  const [{ subject, issuer, fingerprint, expireMs }] = places as [PlacedCertificate];
  const hosts = new Set(places.map(({ agentId }) => agentId)).size;
  const foundMs = Math.min(...places.map((place) => place.foundMs));
  const named = places.slice(0, NAMED).map(({ place, hostname }) => `${place} on ${hostname}`);
  const more = places.length > NAMED ? `, and ${countText(places.length - NAMED, 'more place')}` : '';
  return {
    key: keyOf(fingerprint),
    title: `Certificate ${subject} ${leftText(expireMs, nowMs)} (${timeText(expireMs)}): ${named.join(', ')}${more}`,
    detail: {
      subject,
      issuer,
      fingerprint,
      expire: expireMs / 1000,
      days: Math.floor((expireMs - nowMs) / DAY_MS),
      hosts,
      places: places.length,
      sample: places.slice(0, SAMPLE).map(({ agentId, hostname, place }) => ({ agent_id: agentId, hostname, place })),
    },
    // One that was found later expires soon since then.
    sinceMs: Math.max(expireMs - withinS * 1000, Math.min(foundMs, nowMs)),
    silent: places.every(({ maintenance }) => maintenance === 1),
  };
}
