// How agents come in, and come back as themselves.
import {
  type AgentLabels,
  type AgentRegistration,
  AppError,
  can,
  type EnrollmentActor,
  type UserActor,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext, Deps } from '../../deps.ts';
import {
  type EnrollingToken,
  lockEnrollment,
  useEnrollment,
  useEnrollmentAgain,
} from '../enrollment/enrollment.repo.ts';
import type { Clones } from './agent.clones.ts';
import type { AgentRow } from './agent.columns.ts';
import { changesOf } from './agent.facts.ts';
import { type HistoryEntry, recordHistory } from './agent.history.ts';
import { kernelColumns } from './agent.kernel.ts';
import { addLabels, type Label, labelsOf } from './agent.labels.ts';
import { lockNode, toDetailedAgent } from './agent.repo.ts';
import type { AgentService } from './agent.service.ts';
import { startsOf } from './agent.starts.ts';
import { columnsOf, statusOf } from './agent.state.ts';
import { addAgent, newRow, saveRegistration } from './agent.store.ts';

/** An agent has at most so many labels; those that an administrator gave come first. */
const LABELS_MAX = 50;

/** The node has an agent that is online. */
class NodeIsOnline extends AppError {
  readonly agent: AgentRow;

  constructor(agent: AgentRow) {
    super('conflict', {
      message: 'An agent with this node_id is online.',
      detail: 'Stop that agent, or wait until it is offline. With the permission agent:write, force takes its place.',
    });
    this.agent = agent;
  }
}

type Registrant = UserActor | EnrollmentActor;

interface Call extends CallContext {
  readonly body: AgentRegistration;
  readonly actor: Registrant;
}

/** The method by which agents come in. */
export function agentRegistration(deps: Deps, clones: Clones): Pick<AgentService, 'register'> {
  const { db, key, audit, events, listeningWindow, now, agentIntervalS } = deps;

  /** Whether a token may enrol a node; counts it where it has not enrolled it before. */
  async function useToken(tx: Tx, token: EnrollingToken, before: AgentRow | undefined, nowMs: number) {
    if (before?.enrollmentId === token.id) {
      await useEnrollmentAgain(tx, token.id, nowMs);
      return;
    }
    if (!(await useEnrollment(tx, token.id, nowMs))) throw new AppError('enrollment_used_up');
  }

  /** Also an agent that has registered and not reported yet, or whose report this server has not had time to hear. */
  const isAlive = (row: AgentRow) => ['online', 'pending'].includes(statusOf(row, listeningWindow.moment()).state);

  /**
   * A node is taken from an agent that is online by nobody, whatever token enrolled it, unless an administrator forces
   * it: whoever else has the token would evict the real one.
   */
  async function takeNode(tx: Tx, agent: AgentRow, { body, actor, request }: Call): Promise<void> {
    if (!isAlive(agent)) return;
    if (!body.force) throw new NodeIsOnline(agent);
    const target = { kind: 'agent', id: agent.id };
    await audit.record(tx, { action: 'agent.takeover', actor, request, target, detail: { node_id: agent.nodeId } });
  }

  /** A node as it is once it has registered, and what that changes. */
  async function registered(
    tx: Tx,
    before: AgentRow | undefined,
    body: AgentRegistration,
    enrollmentId: number,
    nowMs: number,
  ) {
    const known = before ?? newRow(body, nowMs);
    const changes = changesOf(before, body);
    const starts = startsOf(known, body);
    const row: AgentRow = {
      ...known,
      ...changes.columns,
      ...(await kernelColumns(tx, before, changes.columns)),
      ...starts.columns,
      ...columnsOf({ state: 'pending', reason: 'registered', sinceMs: nowMs }),
      ...{ secretUsed: 0, intervalS: agentIntervalS, isDeleted: 0, deletedMs: 0, outageId: 0, enrollmentId },
      ...{ lastReportedMs: nowMs, modifiedMs: nowMs },
    };
    return { row, news: [...starts.happenings, ...changes.happenings] };
  }

  async function register(tx: Tx, call: Call, secretHash: Uint8Array): Promise<number> {
    const { body, actor } = call;
    const nowMs = now();
    const token = actor.kind === 'user' ? undefined : await requireToken(tx, actor, nowMs);
    const before = await lockNode(tx, body.node_id);
    if (before !== undefined) await takeNode(tx, before, call);
    const { row, news } = await registered(tx, before, body, token?.id ?? 0, nowMs);
    const id = before?.id ?? (await addAgent(tx, row, secretHash));
    // Another registration of the node has added it since. This one has waited for it, and finds it now.
    if (id === undefined) return register(tx, call, secretHash);
    if (token !== undefined) await useToken(tx, token, before, nowMs);
    if (before !== undefined) await saveRegistration(tx, row, secretHash);
    const labels = await labelsFor(tx, id, before, token);
    const happenings = news.map((happening) => ({ ...happening, agentId: id }));
    await recordHistory(tx, [...arrival(id, before, actor, token), ...happenings], nowMs);
    const data = toDetailedAgent({ ...row, id, labels }, listeningWindow.moment());
    await events.publish(tx, [{ type: 'agent.registered', data }]);
    return id;
  }

  return {
    async register(call) {
      if (call.body.force) checkMayForce(call.actor);
      const secret = newSecret('agent');
      const secretHash = key.digest(secret);
      try {
        const id = await db.write((tx) => register(tx, call, secretHash));
        return { id, secret, interval: agentIntervalS };
      } catch (error) {
        if (error instanceof NodeIsOnline) clones.noteRefused(error.agent.id, error.agent.lastReportedMs);
        throw error;
      }
    },
  };
}

/** Taking an agent's place ends its secret, as deleting it does. */
function checkMayForce(actor: Registrant): void {
  if (actor.kind === 'user' && can(actor, 'agent:write')) return;
  throw new AppError('forbidden', { detail: 'To force a registration, use a credential with agent:write.' });
}

/** The token a request came with, if it is still good: it may have been revoked a moment ago. */
async function requireToken(tx: Tx, actor: EnrollmentActor, nowMs: number): Promise<EnrollingToken> {
  const token = await lockEnrollment(tx, actor.enrollmentId);
  if (token === undefined) throw new AppError('credential_invalid');
  if (token.expire_ms !== 0 && token.expire_ms <= nowMs) throw new AppError('token_expired');
  return token;
}

/** Gives an agent the labels of a token that is new to it, and returns all it has; those it had stay as they are. */
async function labelsFor(
  tx: Tx,
  id: number,
  before: AgentRow | undefined,
  token: EnrollingToken | undefined,
): Promise<readonly Label[]> {
  const own = before === undefined ? [] : ((await labelsOf(tx.sql, [id])).get(id) ?? []);
  if (token === undefined || before?.enrollmentId === token.id) return own;
  const labels = Object.entries(JSON.parse(token.labels) as AgentLabels)
    .slice(0, Math.max(0, LABELS_MAX - own.length))
    .filter(([name]) => !own.some((label) => label.name === name));
  await addLabels(tx, [id], Object.fromEntries(labels));
  return [...own, ...labels.map(([name, value]) => ({ name, value }))];
}

/** The lines of history of an agent that comes in. */
function arrival(
  agentId: number,
  before: AgentRow | undefined,
  actor: Registrant,
  token: EnrollingToken | undefined,
): HistoryEntry[] {
  const by = actor.kind === 'user' ? actor.username : '';
  const field = actor.kind === 'user' ? actor.credential.kind : 'enrollment';
  return [
    ...(before?.isDeleted ? [{ agentId, kind: 'restored', actor: by } as const] : []),
    { agentId, kind: 'registered', field, after: token?.name ?? '', actor: by },
  ];
}
