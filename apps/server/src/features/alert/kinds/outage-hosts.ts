// Assigns groups of errors to the outage that they began with.
import type { Database } from '@quarterdeck/core/db';
import { findOpenOutages } from '../../outage/outage.repo.ts';
import { withHosts } from '../../suspects/affected-groups.ts';
import type { Round } from './kind.ts';
import { outagesOfAgents, sourceHosts } from './outage-hosts.repo.ts';

/** Time between the start of an outage and that of an error which belongs to it. */
const NEAR_MS = 5 * 60_000;

/** A group, and when its error began. */
interface Begun {
  readonly id: number;
  readonly src: number;
  readonly beganMs: number;
}

/** Group -> cause of the outage whose hosts it is on, where its error began at about the same time. */
export async function outageCauses(
  db: Database,
  round: Round,
  groups: readonly Begun[],
): Promise<ReadonlyMap<number, string>> {
  const outages = await round.once('open outages', () => findOpenOutages(db.read));
  const near = groups.filter(({ beganMs }) =>
    outages.some(({ startedMs }) => Math.abs(beganMs - Number(startedMs)) <= NEAR_MS),
  );
  if (near.length === 0) return new Map();
  const sources = await sourceHosts(
    db.read,
    near.map(({ src }) => src),
  );
  const agents = new Map((await withHosts(db, sources)).map(({ src, agent }) => [src, agent]));
  const outageOf = await outagesOfAgents(db.read, agents.values());
  const begins = new Map(outages.map(({ id, startedMs }) => [id, Number(startedMs)]));
  const causes = new Map<number, string>();
  for (const { id, src, beganMs } of near) {
    const outage = outageOf.get(agents.get(src) ?? 0) ?? 0;
    const startedMs = begins.get(outage);
    if (startedMs !== undefined && Math.abs(beganMs - startedMs) <= NEAR_MS) causes.set(id, `outage:${outage}`);
  }
  return causes;
}
