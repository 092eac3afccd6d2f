// What administrators do to many agents at once: in slices, so that nobody waits long for a turn to write.
import type { AgentBulk, BulkResult, UserActor } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { CallContext, Deps } from '../../deps.ts';
import { cached } from '../../sql/cached.ts';
import { operating } from '../agent-operation/operation.create.ts';
import { type AgentAction, type Judgement, judge, perform } from './agent.action.ts';
import { CHANGES_MAX } from './agent.announce.ts';
import { agentWhere } from './agent.filter.ts';
import { deleting, purging, restoring } from './agent.removal.ts';
import { updating } from './agent.update.ts';
import { idRanges } from './id-ranges.ts';
import type { Moment } from './listening-window.ts';

/** Agents changed in one write. */
const SLICE = 150;

interface Caller {
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

/** What became of the slices so far. */
interface Outcome {
  readonly matched: number;
  readonly done: number;
  readonly written: number;
  readonly failed: BulkResult['failed'];
}

/** Changes many agents; what one slice changed stays, whatever becomes of the next. */
export async function changeMany(deps: Deps, body: AgentBulk, { actor, request }: Caller): Promise<BulkResult> {
  const { db, listeningWindow, audit } = deps;
  const { ids: given, dry_run, ...wanted } = body;
  const action = actionOf(deps, body, actor.username);
  const ids = given === undefined ? await idsOf(db, body, listeningWindow.moment()) : [...new Set(given)];
  const record = (tx: Tx, detail: object) =>
    audit.record(tx, {
      ...{ action: 'agent.bulk', actor, request, target: { kind: 'agent', id: 0 } },
      detail: { ...wanted, ...detail },
    });

  let sum: Outcome = { matched: 0, done: 0, written: 0, failed: [] };
  for (let at = 0; at < ids.length; at += SLICE) {
    const slice = ids.slice(at, at + SLICE);
    if (dry_run) {
      sum = added(sum, await judge(db.read.sql, db.dialect, action, slice), []);
      continue;
    }
    await action.prepare?.(db, slice);
    const before = sum;
    sum = await db.write(async (tx) => {
      const outcome = await perform(tx, deps, action, slice, {
        actor: actor.username,
        tellEach: ids.length <= CHANGES_MAX,
      });
      const after = added(before, outcome, outcome.written);
      // One write has one entry. Of several, the first says what begins, and for whom, so that nothing is changed without
      // an entry, and the last what became of it.
      const [isFirst, isLast] = [at === 0, at + SLICE >= ids.length];
      if (isFirst && isLast && after.written === 0) return after;
      const what = isFirst ? { ids: idRanges(ids) } : {};
      const result = isLast ? { matched: after.matched, done: after.done, failed: after.failed.length } : {};
      if (isFirst || isLast) await record(tx, { ...what, ...result });
      return after;
    });
  }
  return { matched: sum.matched, done: dry_run ? 0 : sum.done, failed: sum.failed };
}

const added = (sum: Outcome, { fit, failed, found }: Judgement, written: readonly number[]): Outcome => ({
  matched: sum.matched + found,
  done: sum.done + fit.length,
  written: sum.written + written.length,
  failed: [...sum.failed, ...failed.map(({ id, msg }) => ({ id, msg }))],
});

function actionOf({ db: { dialect } }: Deps, body: AgentBulk, username: string): AgentAction {
  switch (body.action) {
    case 'update':
      return updating(dialect, body);
    case 'delete':
      return deleting(dialect);
    case 'restore':
      return restoring();
    case 'purge':
      return purging(dialect);
    case 'operate':
      // The contract refuses a body without a kind.
      return operating(dialect, { ...body, kind: body.kind ?? 'collect_facts', username });
  }
}

/** The agents that a filter matches; those that are deleted where it is about them. */
async function idsOf(
  db: Database,
  { filter = { include_deleted: false }, action }: AgentBulk,
  moment: Moment,
): Promise<number[]> {
  const isAboutDeleted = action === 'restore' || action === 'purge';
  const states = filter.state ?? ['deleted'];
  if (isAboutDeleted && !states.includes('deleted')) return [];
  const where = agentWhere(db.dialect, isAboutDeleted ? { ...filter, state: ['deleted'] } : filter, moment);
  const text = `SELECT id FROM agent a${where.text} ORDER BY id`;
  return (await db.read.sql.all<{ id: number }>(cached(text), ...where.values)).map(({ id }) => id);
}
