// Methods by which administrators change agents, one by one or many at once.
import { type Agent, type AgentBulk, AppError, type BulkResult, type UserActor } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { Versioning } from '@quarterdeck/express/parts';
import { operationAction } from '../agent-operation/agent-operation.lifecycle.ts';
import type { CallContext } from '../call-context.ts';
import { accessOf } from '../seen-sources.ts';
import { findAgentIds } from './agent-list.repo.ts';
import type { AgentNeeds } from './needs.ts';
import {
  type AgentAction,
  DELETE,
  type Judgement,
  judge,
  MISSING,
  PURGE,
  perform,
  RESTORE,
  requireFit,
  updateAction,
} from './records/agent.actions.ts';
import { ANNOUNCED_MAX } from './records/agent.events.ts';
import { agentsByIds } from './records/agent.repo.ts';
import type { AgentTable } from './records/agent.types.ts';

/** Agents changed in one write, so that other writes do not wait for long. */
const SLICE = 150;

interface Caller {
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

/** A call about one agent. */
interface Call extends Caller {
  readonly params: { readonly id: number };
  readonly version?: Versioning | undefined;
}

/** Makes the methods that change agents. */
export function agentAdmin(deps: AgentNeeds): Pick<AgentTable, 'update' | 'remove' | 'restore' | 'purge' | 'bulk'> {
  const { db, audit, listeningWindow } = deps;

  /** Runs an action on one agent, in one write with its audit entry. */
  async function act(call: Call, name: string, wanted: AgentAction): Promise<void> {
    const { params, actor, request } = call;
    const { id } = params;
    if ((await accessOf(db, actor))?.agents.has(id) === false) throw new AppError('not_found');
    const action = checked(wanted, call);
    if (action.prepare !== undefined) {
      requireFit(await judge(db.read, action, [id]));
      await action.prepare(db, [id]);
    }
    await db.write(async (tx) => {
      const outcome = await perform(tx, deps, action, [id], { actor: actor.username, announceEach: true });
      const { nodeId: node_id, hostname } = requireFit(outcome);
      if (outcome.written.length === 0) return;
      const changes = outcome.history
        .filter(({ before, after }) => before !== after)
        .map(({ field, before, after }) => ({ field, before, after }));
      await audit.record(tx, {
        action: name,
        actor,
        request,
        target: { kind: 'agent', id },
        detail: { node_id, hostname, ...(changes.length > 0 ? { changes } : {}) },
      });
    });
  }

  /** Checks the version of the agent before an action is applied. */
  const checked = (action: AgentAction, { params, version }: Call): AgentAction => ({
    ...action,
    async apply(tx, rows, nowMs) {
      if (rows.length > 0) version?.check(await detailed(params.id, tx));
      return action.apply(tx, rows, nowMs);
    },
  });

  async function detailed(id: number, tx: Tx = db.read): Promise<Agent> {
    const [agent] = await agentsByIds(tx, db.dialect, [id], { detail: 1, moment: listeningWindow.moment() });
    if (agent === undefined) throw new AppError('not_found');
    return agent;
  }

  return {
    async update(call) {
      await act(call, 'agent.update', updateAction(call.body));
      const agent = await detailed(call.params.id);
      call.version?.show(agent);
      return agent;
    },

    async remove(call) {
      await act(call, 'agent.delete', DELETE);
      return undefined;
    },

    async restore(call) {
      await act(call, 'agent.restore', RESTORE);
      return detailed(call.params.id);
    },

    async purge(call) {
      await act(call, 'agent.purge', PURGE);
      return undefined;
    },

    bulk: ({ body, query, actor, request }) =>
      changeMany(deps, { ...body, dry_run: body.dry_run || query.dry_run }, { actor, request }),
  };
}

/** Sums over the slices of a bulk change. */
interface Outcome {
  readonly matched: number;
  readonly done: number;
  readonly written: number;
  readonly failed: BulkResult['failed'];
}

/** Changes many agents in slices. A slice that was written stays, even if a later one fails. */
async function changeMany(deps: AgentNeeds, body: AgentBulk, { actor, request }: Caller): Promise<BulkResult> {
  const { db, audit } = deps;
  const { ids: given, dry_run, ...wanted } = body;
  const action = actionOf(body, actor.username);
  const seen = (await accessOf(db, actor))?.agents;
  const wantedIds = given === undefined ? await matchingIds(deps, body, seen) : [...new Set(given)];
  const isHidden = (id: number) => seen?.has(id) === false;
  // Agents that the caller may not see are as missing ones.
  const hidden = wantedIds.filter(isHidden).map((id) => ({ id, msg: MISSING.msg }));
  const ids = wantedIds.filter((id) => !isHidden(id));
  const announceEach = ids.length <= ANNOUNCED_MAX;
  const record = (tx: Tx, detail: object) =>
    audit.record(tx, {
      action: 'agent.bulk',
      actor,
      request,
      target: { kind: 'agent', id: 0 },
      detail: { ...wanted, ...detail },
    });

  let sum: Outcome = { matched: 0, done: 0, written: 0, failed: [] };
  for (let at = 0; at < ids.length; at += SLICE) {
    const slice = ids.slice(at, at + SLICE);
    if (dry_run) {
      sum = addOutcome(sum, await judge(db.read, action, slice), []);
      continue;
    }
    await action.prepare?.(db, slice);
    const before = sum;
    sum = await db.write(async (tx) => {
      const outcome = await perform(tx, deps, action, slice, { actor: actor.username, announceEach });
      const after = addOutcome(before, outcome, outcome.written);
      // The first write records the ids, so that no change is without an audit entry. The last one records the result.
      const [isFirst, isLast] = [at === 0, at + SLICE >= ids.length];
      if (isFirst && isLast && after.written === 0) return after;
      const planned = isFirst ? { ids: idRanges(ids) } : {};
      const result = isLast ? { matched: after.matched, done: after.done, failed: after.failed.length } : {};
      if (isFirst || isLast) await record(tx, { ...planned, ...result });
      return after;
    });
  }
  return { matched: sum.matched, done: dry_run ? 0 : sum.done, failed: [...sum.failed, ...hidden] };
}

const addOutcome = (sum: Outcome, { fit, failed, found }: Judgement, written: readonly number[]): Outcome => ({
  matched: sum.matched + found,
  done: sum.done + fit.length,
  written: sum.written + written.length,
  failed: [...sum.failed, ...failed.map(({ id, msg }) => ({ id, msg }))],
});

function actionOf(body: AgentBulk, username: string): AgentAction {
  switch (body.action) {
    case 'update':
      return updateAction(body);
    case 'delete':
      return DELETE;
    case 'restore':
      return RESTORE;
    case 'purge':
      return PURGE;
    case 'operate':
      // The contract requires a kind.
      return operationAction({ ...body, kind: body.kind ?? 'collect_facts', username });
  }
}

/** Ids of the agents that a filter matches: deleted agents for an action on those. */
async function matchingIds(
  { db, listeningWindow }: AgentNeeds,
  body: AgentBulk,
  seen: ReadonlySet<number> | undefined,
): Promise<number[]> {
  const { filter = { include_deleted: false }, action } = body;
  const selection = { filter, seen, moment: listeningWindow.moment(), place: 'body.filter' } as const;
  if (action !== 'restore' && action !== 'purge') return findAgentIds(db, selection);
  if (filter.state?.includes('deleted') === false) return [];
  return findAgentIds(db, { ...selection, filter: { ...filter, state: ['deleted'] } });
}

/** Ids in order, as short ranges: `1-5,9`. */
export function idRanges(ids: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && id <= last.to + 1) last.to = id;
    else runs.push({ from: id, to: id });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
