// Changes from outside: takes reports in, adds them to the histories of agents, and lists them.
import { createHash } from 'node:crypto';
import {
  AppError,
  CHANGE_HOSTS_LISTED,
  CHANGE_HOSTS_MAX,
  type Change,
  type ChangeDraft,
  type ChangeReceipt,
  type contract,
  invalidField,
  type Service,
  sliceOf,
  type UserActor,
} from '@quarterdeck/core';
import { isUniqueViolation, type Tx } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { SeenRelease } from '@quarterdeck/intake';
import type { CallContext } from '../call-context.ts';
import { readKey } from '../errlog/intake/idempotency-key.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf } from '../seen-sources.ts';
import {
  addToHistories,
  findByKey,
  findChange,
  findPending,
  insertChange,
  isSeen,
  listChanges,
  type NewChange,
  type ReportKey,
  unknownHosts,
} from './change.repo.ts';
import { findConcerned } from './concerned-agents.repo.ts';
import { findEffects } from './effects/change-effects.ts';
import { createVerdictWait } from './effects/wait-for-verdict.ts';
import type { ChangeNeeds } from './needs.ts';
import { beginRelease } from './release.repo.ts';
import { boundedRelease, draftOf, ReleaseWatch } from './releases.ts';

/** The service of changes from outside. */
export interface ChangeService extends Service<(typeof contract)['change'], CallContext> {
  /**
   * Reports the releases that begin with the events of a sender, each as a change of the kind `deploy`. A failure is
   * logged: the next event of the release tries again.
   */
  noteReleases(releases: readonly SeenRelease[], caller: Caller): Promise<void>;
  /** Adds changes to the histories that lack them since an interruption. */
  finish(stopped: () => boolean): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Time that a change may be ahead of this server's clock ... */
const AHEAD_MS = 5 * MINUTE_MS;
/** ... and behind it. */
const BACK_MS = 30 * 24 * 60 * MINUTE_MS;
/** Histories of one write, so that other writes do not wait for long. */
const SLICE = 500;

export function changeService(deps: ChangeNeeds): ChangeService {
  const { db, events, audit, log, now, stopping } = deps;
  const waitForVerdict = createVerdictWait();

  /** Adds a change to all histories, then announces it. */
  async function complete(id: number, stopped: () => boolean): Promise<void> {
    for (let isDone = false; !isDone && !stopped(); ) {
      isDone = await db.write(async (tx) => {
        const progress = await addToHistories(tx, id, SLICE);
        if (progress === 'completed') {
          const data = await findChange(tx, id, CHANGE_HOSTS_LISTED);
          await events.publish(tx, [{ type: 'change.created', data }]);
        }
        return progress !== 'unfinished';
      });
    }
  }

  async function insert(tx: Tx, change: NewChange, { actor, request }: Caller): Promise<number> {
    const id = await insertChange(tx, change);
    const { hosts, ...detail } = change.draft;
    await audit.record(tx, {
      action: 'change.create',
      actor,
      request,
      target: { kind: 'change', id },
      detail: { ...detail, hosts: hosts?.length ?? 0, agents: change.agents.length },
    });
    return id;
  }

  /** Completes a change that is stored: a job adds it to the histories that lack it after a failure. */
  async function completeNow(id: number): Promise<void> {
    try {
      await complete(id, () => false);
    } catch (error) {
      log.warn({ err: error, change: id }, 'adding a change to the histories of agents failed');
    }
  }

  async function store(change: NewChange, caller: Caller): Promise<ChangeReceipt> {
    const stored = await db.write(async (tx) => {
      const earlier = await earlierReceipt(tx, change.reportKey);
      if (earlier !== undefined) return earlier;
      const id = await insert(tx, change, caller);
      return { id, unknown_hosts: change.hosts.filter(({ known }) => !known).map(({ host }) => host) };
    });
    await completeNow(stored.id);
    return stored;
  }

  const releases = new ReleaseWatch(db);

  async function noteRelease(seen: SeenRelease, caller: Caller): Promise<void> {
    const nowMs = now();
    const release = boundedRelease(seen);
    const { kind, id: credential } = caller.actor.credential;
    if (!(await releases.mayBegin(release, `${kind} ${credential}`, nowMs))) return;
    const concerned = await findConcerned(db, draftOf(release, seen.host, ''), new EventLoopYield());
    const id = await db.write(async (tx) => {
      const before = await beginRelease(tx, release, nowMs);
      if (before === undefined) return undefined;
      const draft = draftOf(release, seen.host, before);
      const createdBy = caller.actor.username;
      return insert(tx, { draft, timeMs: nowMs, nowMs, createdBy, ...concerned, reportKey: undefined }, caller);
    });
    releases.know(release);
    if (id !== undefined) await completeNow(id);
  }

  async function getChange(id: number): Promise<Change> {
    return found(await findChange(db.read, id, CHANGE_HOSTS_MAX));
  }

  return {
    list: async ({ query: { page, page_size, start, end, ...filter }, actor }) =>
      listChanges(db, checkWindow(sliceOf({ page, page_size, start, end })), filter, await accessOf(db, actor)),

    async get({ params: { id }, actor }) {
      const access = await accessOf(db, actor);
      if (access !== undefined && !(await isSeen(db, id, access))) throw new AppError('not_found');
      return getChange(id);
    },
    async effects({ params: { id }, query: { within, wait: waitS }, left }) {
      const change = await getChange(id);
      const ended = left === undefined || waitS === 0 ? stopping : AbortSignal.any([stopping, left()]);
      return waitForVerdict(() => findEffects(db, change, within, now()), { waitS, ended });
    },

    async create({ body, actor, request }) {
      const reportKey = reportKeyOf(body, actor, request);
      const earlier = await earlierReceipt(db.read, reportKey);
      if (earlier !== undefined) return earlier;
      const nowMs = now();
      const timeMs = timeOf(body, nowMs);
      const concerned = await findConcerned(db, body, new EventLoopYield());
      const change = { draft: body, timeMs, nowMs, createdBy: actor.username, ...concerned, reportKey };
      try {
        return await store(change, { actor, request });
      } catch (error) {
        // On PostgreSQL two reports under one key may be stored at once.
        const first = isUniqueViolation(error) ? await earlierReceipt(db.read, reportKey) : undefined;
        if (first === undefined) throw error;
        return first;
      }
    },

    async noteReleases(seen, caller) {
      for (const one of seen) {
        await noteRelease(one, caller).catch((error: unknown) => {
          log.warn({ err: error, service: one.service }, 'reporting a release as a change failed');
        });
      }
    },

    async finish(stopped) {
      for (const id of await findPending(db.read)) await complete(id, stopped);
    },
  };
}

interface Caller {
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

function timeOf({ time }: ChangeDraft, nowMs: number): number {
  if (time === undefined) return nowMs;
  const timeMs = Math.round(time * 1000);
  if (timeMs <= nowMs + AHEAD_MS && timeMs >= nowMs - BACK_MS) return timeMs;
  throw invalidField('body.time', 'must be at most 5 minutes ahead and 30 days back');
}

function reportKeyOf(body: ChangeDraft, actor: UserActor, request: CallContext['request']): ReportKey | undefined {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return undefined;
  const bodyHash = new Uint8Array(createHash('sha256').update(JSON.stringify(body)).digest());
  return { owner: `user:${actor.userId}`, key: readKey(idempotencyKey), bodyHash };
}

/**
 * Returns the answer that a report got before under its key.
 *
 * @throws AppError `idempotency_conflict` where the key came with another body
 */
async function earlierReceipt(tx: Tx, reportKey: ReportKey | undefined): Promise<ChangeReceipt | undefined> {
  if (reportKey === undefined) return undefined;
  const earlier = await findByKey(tx, reportKey);
  if (earlier === null) return undefined;
  if (Buffer.compare(earlier.bodyHash ?? new Uint8Array(), reportKey.bodyHash) !== 0) {
    throw new AppError('idempotency_conflict');
  }
  return { id: earlier.id, unknown_hosts: await unknownHosts(tx, earlier.id) };
}
