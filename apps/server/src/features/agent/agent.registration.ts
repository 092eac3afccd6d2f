// Registration of agents: new nodes, and nodes that register again.
import {
  type AgentLabels,
  type AgentRegistration,
  AppError,
  type EnrollmentActor,
  type UserActor,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { nameAgent } from '@quarterdeck/store';
import { hasPermissions } from '../../auth/require-permissions.ts';
import { newSecret } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import {
  type EnrollingToken,
  lockEnrollment,
  useEnrollment,
  useEnrollmentAgain,
} from '../enrollment/enrollment.repo.ts';
import type { Clones } from './agent.clones.ts';
import type { AgentNeeds } from './needs.ts';
import { labelText } from './records/agent.actions.ts';
import { announceAgent } from './records/agent.events.ts';
import { factChanges, kernelColumns, startChanges } from './records/agent.facts.ts';
import { addAgent, lockNode, newRow, saveRegistration } from './records/agent.repo.ts';
import { type AgentRow, type Label, toDetailedAgent } from './records/agent.row.ts';
import { statusColumns, statusOf } from './records/agent.status.ts';
import type { AgentTable } from './records/agent.types.ts';
import { type HistoryEntry, recordHistory } from './records/agent-history.repo.ts';
import { addLabels, labelsOf } from './records/agent-label.repo.ts';

/** Labels of one agent. The agent's own labels come before the labels of a token. */
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

/** Makes the method that registers agents. */
export function agentRegistration(deps: AgentNeeds, clones: Clones): Pick<AgentTable, 'register'> {
  const { db, key, audit, listeningWindow, now, agentIntervalS } = deps;

  /** Uses a token for a node. Only a node that the token has not enrolled before counts. */
  async function useToken(tx: Tx, token: EnrollingToken, before: AgentRow | undefined, nowMs: number) {
    if (before?.enrollmentId === token.id) return useEnrollmentAgain(tx, token.id, nowMs);
    if (!(await useEnrollment(tx, token.id, nowMs))) throw new AppError('enrollment_used_up');
  }

  /** True also before the first report, and while a report may have been missed by this server. */
  const isAlive = (row: AgentRow) => ['online', 'pending'].includes(statusOf(row, listeningWindow.moment()).state);

  /**
   * Takes the node of an agent. If the agent is online, only an administrator can force it: otherwise anyone with an
   * enrollment token could evict the agent.
   */
  async function takeNode(tx: Tx, agent: AgentRow, { body, actor, request }: Call): Promise<void> {
    if (!isAlive(agent)) return;
    if (!body.force) throw new NodeIsOnline(agent);
    const target = { kind: 'agent', id: agent.id };
    await audit.record(tx, { action: 'agent.takeover', actor, request, target, detail: { node_id: agent.nodeId } });
  }

  /** The row of a node after its registration, and the history of the change. */
  async function registeredRow(
    tx: Tx,
    before: AgentRow | undefined,
    body: AgentRegistration,
    enrollmentId: number,
    nowMs: number,
  ) {
    const known = before ?? newRow(body, nowMs);
    const changes = factChanges(before, body);
    const starts = startChanges(known, body);
    const row: AgentRow = {
      ...known,
      ...changes.columns,
      ...(await kernelColumns(tx, before, changes.columns)),
      ...starts.columns,
      ...statusColumns({ state: 'pending', reason: 'registered', sinceMs: nowMs }),
      secretUsed: 0,
      intervalS: agentIntervalS,
      isDeleted: 0,
      deletedMs: 0,
      outageId: 0,
      enrollmentId,
      lastReportedMs: nowMs,
      modifiedMs: nowMs,
    };
    return { row, history: [...starts.history, ...changes.history] };
  }

  async function register(tx: Tx, call: Call, secretHash: Uint8Array): Promise<number> {
    const { body, actor } = call;
    const nowMs = now();
    const token = actor.kind === 'user' ? undefined : await requireToken(tx, actor, nowMs);
    const before = await lockNode(tx, body.node_id);
    if (before !== undefined) await takeNode(tx, before, call);
    const { row, history } = await registeredRow(tx, before, body, token?.id ?? 0, nowMs);
    const id = before?.id ?? (await addAgent(tx, row, secretHash));
    // Another registration has added the node since. The insert has waited for it, so the next attempt finds the node.
    if (id === undefined) return register(tx, call, secretHash);
    if (token !== undefined) await useToken(tx, token, before, nowMs);
    if (before !== undefined) await saveRegistration(tx, row, secretHash);
    await nameAgent(tx, id, row.hostname);
    const { labels, added } = await addTokenLabels(tx, id, before, token);
    const changes = history.map((entry) => ({ ...entry, agentId: id }));
    const labelled = before === undefined ? [] : labelHistory(id, added);
    await recordHistory(tx, [...registrationHistory(id, before, actor, token), ...labelled, ...changes], nowMs);
    const agent = toDetailedAgent({ ...row, id }, labels, listeningWindow.moment());
    await announceAgent(tx, deps, 'agent.registered', agent);
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

/** Forcing a registration ends the secret of an agent, as deleting the agent does. */
function checkMayForce(actor: Registrant): void {
  if (actor.kind === 'user' && hasPermissions(actor, ['agent:write'])) return;
  throw new AppError('forbidden', { detail: 'To force a registration, use a credential with agent:write.' });
}

/** Locks the token of a request. It may have been revoked since the request was let in. */
async function requireToken(tx: Tx, actor: EnrollmentActor, nowMs: number): Promise<EnrollingToken> {
  const token = await lockEnrollment(tx, actor.enrollmentId);
  if (token === undefined) throw new AppError('credential_invalid');
  if (token.expireMs !== 0 && token.expireMs <= nowMs) throw new AppError('token_expired');
  return token;
}

/** Adds the labels of a new token to an agent. Labels that it has keep their values. */
async function addTokenLabels(
  tx: Tx,
  id: number,
  before: AgentRow | undefined,
  token: EnrollingToken | undefined,
): Promise<{ readonly labels: readonly Label[]; readonly added: AgentLabels }> {
  const own = before === undefined ? [] : ((await labelsOf(tx, [id])).get(id) ?? []);
  if (token === undefined || before?.enrollmentId === token.id) return { labels: own, added: {} };
  const labels = Object.entries(JSON.parse(token.labels) as AgentLabels)
    .slice(0, Math.max(0, LABELS_MAX - own.length))
    .filter(([name]) => !own.some((label) => label.name === name));
  const added = Object.fromEntries(labels);
  await addLabels(tx, [id], added);
  return { labels: [...own, ...labels.map(([name, value]) => ({ name, value }))], added };
}

/** The history entries of labels that a known agent got with its registration. A new agent has had its own always. */
const labelHistory = (agentId: number, added: AgentLabels): HistoryEntry[] =>
  Object.keys(added).map((name) => ({ agentId, kind: 'labels', field: name, after: labelText(added, name) }));

/** The history entries of a registration. */
function registrationHistory(
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
