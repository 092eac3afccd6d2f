// How agents come in, and come back as themselves.
import { type AgentRegistration, AppError, type EnrollmentActor, type UserActor } from '@quarterdeck/core';
import { type Door, statement } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import type { Deps } from '../../deps.ts';
import {
  type EnrollingToken,
  lockEnrollment,
  useEnrollment,
  useEnrollmentAgain,
} from '../enrollment/enrollment.repo.ts';
import type { Clones } from './agent.clones.ts';
import { changesOf } from './agent.facts.ts';
import { type AgentHappening, recordHappenings } from './agent.history.ts';
import { kernelColumns } from './agent.kernel.ts';
import { findAgents, type LabelledAgentRow, toDetailedAgent } from './agent.repo.ts';
import type { AgentService } from './agent.service.ts';
import { startsOf } from './agent.starts.ts';
import { columnsOf, standingOf } from './agent.state.ts';

/** An agent has at most so many labels; those that an administrator gave come first. */
const LABELS_MAX = 50;

// Of two registrations of a node at once, the second one finds what the first has made, and waits for it.
const CLAIM = statement(
  `INSERT INTO agent (node_id, hostname, secret_hash, interval_s, last_reported_ms, created_ms, modified_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (node_id) DO NOTHING`,
);
const LOCK = statement({
  sqlite: 'SELECT id FROM agent WHERE node_id = ?',
  postgresql: 'SELECT id FROM agent WHERE node_id = $1 FOR UPDATE',
});
const LABEL = statement(
  'INSERT INTO agent_label (agent_id, name, value) VALUES (?, ?, ?) ON CONFLICT (agent_id, name) DO NOTHING',
);

/** A token would take over an agent that is alive and that it has not enrolled. */
class NodeIsAlive extends AppError {
  readonly agentId: number;

  constructor(agentId: number) {
    super('conflict', {
      message: 'An agent with this node_id is alive, and another token has enrolled it.',
      detail: 'Stop that agent first, or register with an API token.',
    });
    this.agentId = agentId;
  }
}

type Registrant = UserActor | EnrollmentActor;

/** The method by which agents come in. */
export function agentRegistering(deps: Deps, clones: Clones): Pick<AgentService, 'register'> {
  const { db, key, events, vigil, now, agentIntervalS } = deps;

  /** Adds the node, or finds it, so that it stays until the write ends. */
  async function claimNode(tx: Door, body: AgentRegistration, secretHash: Uint8Array, nowMs: number) {
    const times = [nowMs, nowMs, nowMs];
    const { changes } = await tx.sql.run(CLAIM, body.node_id, body.hostname, secretHash, agentIntervalS, ...times);
    const found = await tx.sql.get<{ id: number }>(LOCK, body.node_id);
    const [row] = found === undefined ? [] : await findAgents(tx, [found.id]);
    // It was purged between two statements; the agent comes again.
    if (row === undefined) throw new AppError('database_busy');
    return { id: row.id, before: changes > 0 ? undefined : row };
  }

  /** Whether a token may enrol a node; counts it where it has not enrolled it before. */
  async function useToken(tx: Door, token: EnrollingToken, before: LabelledAgentRow | undefined, nowMs: number) {
    if (before?.enrollmentId === token.id) {
      await useEnrollmentAgain(tx, token.id, nowMs);
      return;
    }
    if (before !== undefined && isAlive(before)) throw new NodeIsAlive(before.id);
    if (!(await useEnrollment(tx, token.id, nowMs))) throw new AppError('enrollment_used_up');
  }

  const isAlive = (row: LabelledAgentRow) => ['online', 'pending'].includes(standingOf(row, vigil.moment()).state);

  async function register(tx: Door, body: AgentRegistration, actor: Registrant, secretHash: Uint8Array<ArrayBuffer>) {
    const nowMs = now();
    const token = actor.kind === 'user' ? undefined : await requireToken(tx, actor, nowMs);
    const { id, before } = await claimNode(tx, body, secretHash, nowMs);
    if (token !== undefined) await useToken(tx, token, before, nowMs);
    const isNewToToken = token !== undefined && before?.enrollmentId !== token.id;
    if (isNewToToken) await giveLabels(tx, id, before?.labels.length ?? 0, token);
    const changes = changesOf(before, body);
    const starts = startsOf(before ?? { bootTime: 0, started: 0 }, body);
    const row = await tx.prisma.agent.update({
      where: { id },
      data: {
        ...changes.columns,
        ...(await kernelColumns(tx, before, changes.columns)),
        ...starts.columns,
        ...columnsOf({ state: 'pending', reason: 'registered', sinceMs: nowMs }),
        secretHash,
        // One that was never used is with nobody: its answer was lost, or its agent was stopped before it had saved it.
        ...(before?.secretUsed ? { previousHash: before.secretHash } : {}),
        secretUsed: false,
        intervalS: agentIntervalS,
        isDeleted: false,
        deletedMs: 0n,
        outageId: 0,
        enrollmentId: token?.id ?? 0,
        lastReportedMs: BigInt(nowMs),
        modifiedMs: BigInt(nowMs),
      },
      include: { labels: true },
    });
    const news = [...starts.happenings, ...changes.happenings].map((happening) => ({ ...happening, agentId: id }));
    await recordHappenings(tx, [...arrival(id, before, actor, token), ...news], nowMs);
    await events.publish(tx, [{ type: 'agent.registered', data: toDetailedAgent(row, vigil.moment()) }]);
    return id;
  }

  return {
    async register({ body, actor }) {
      const secret = newSecret('agent');
      const secretHash = key.digest(secret);
      try {
        const id = await db.write((tx) => register(tx, body, actor, secretHash));
        return { id, secret, interval: agentIntervalS };
      } catch (error) {
        if (error instanceof NodeIsAlive) clones.note(error.agentId);
        throw error;
      }
    },
  };
}

/** The token a request came with, if it is still good: it may have been revoked a moment ago. */
async function requireToken(tx: Door, actor: EnrollmentActor, nowMs: number): Promise<EnrollingToken> {
  const token = await lockEnrollment(tx, actor.enrollmentId);
  if (token === undefined) throw new AppError('credential_invalid');
  if (token.expire_ms !== 0 && token.expire_ms <= nowMs) throw new AppError('token_expired');
  return token;
}

/** Gives an agent the labels of its token; those it has stay as they are. */
async function giveLabels(tx: Door, agentId: number, count: number, token: EnrollingToken): Promise<void> {
  const labels = Object.entries(JSON.parse(token.labels) as Record<string, string>);
  for (const [name, value] of labels.slice(0, Math.max(0, LABELS_MAX - count)))
    await tx.sql.run(LABEL, agentId, name, value);
}

/** The lines of history of an agent that comes in. */
function arrival(
  agentId: number,
  before: LabelledAgentRow | undefined,
  actor: Registrant,
  token: EnrollingToken | undefined,
): AgentHappening[] {
  const by = actor.kind === 'user' ? actor.username : '';
  const field = actor.kind === 'user' ? actor.credential.kind : 'enrollment';
  return [
    ...(before?.isDeleted ? [{ agentId, kind: 'restored', actor: by } as const] : []),
    { agentId, kind: 'registered', field, after: token?.name ?? '', actor: by },
  ];
}
