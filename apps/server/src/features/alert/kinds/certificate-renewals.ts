// Says how the alerts of certificates ended: which certificate came in their place, and with which change.
import type { Tx } from '@quarterdeck/core/db';
import { changesNear, type PlacedCertificate, successorsOf } from './certificates.repo.ts';
import type { Ending } from './kind.ts';
import { countText, durationText, timeText } from './words.ts';

const PREFIX = 'certificate:';
/** Time before a renewal in which a change belongs to it. Agents look every minute. */
const BEFORE_MS = 3_600_000;
/** A host may report its change by a clock that is ahead. */
const AFTER_MS = 60_000;
/** Places that a title names, and those in the detail. */
const NAMED = 3;
const SAMPLE = 15;

/** Alert of a certificate -> its end, for those that another certificate replaced. */
export async function renewalsOf(read: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Ending>> {
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
