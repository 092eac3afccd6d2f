// A simulated server: the modules of the server over one disk, without sockets and threads. Its jobs run by the same
// intervals as those of `jobs.ts`.

import { createKeyRing } from '../../apps/server/src/auth/key-ring.ts';
import { secretKeyOf } from '../../apps/server/src/auth/secrets.ts';
import { createSessionIdle } from '../../apps/server/src/auth/session-idle.ts';
import { createListeningWindow } from '../../apps/server/src/features/agent/records/listening-window.ts';
import { alertService } from '../../apps/server/src/features/alert/alert.service.ts';
import type { ServerHealth } from '../../apps/server/src/features/alert/kinds/health-state.ts';
import { wakeRounds } from '../../apps/server/src/features/alert/waking.ts';
import { apiTokenService } from '../../apps/server/src/features/api-token/api-token.service.ts';
import { createCredentialUse } from '../../apps/server/src/features/api-token/credential-use.ts';
import { createTokenUses } from '../../apps/server/src/features/api-token/token-uses.ts';
import { createAuditLog } from '../../apps/server/src/features/audit/audit.log.ts';
import { errlogService } from '../../apps/server/src/features/errlog/errlog.service.ts';
import { KEY_KEPT_MS } from '../../apps/server/src/features/errlog/intake/idempotency-key.ts';
import { createEventBus } from '../../apps/server/src/features/event/event.bus.ts';
import { createRunningAttempts } from '../../apps/server/src/features/webhook/recall.ts';
import type { Transports } from '../../apps/server/src/features/webhook/transports/transport.ts';
import { createSender } from '../../apps/server/src/features/webhook/webhook.sender.ts';
import { createIdentify } from '../../apps/server/src/http/identify.ts';
import type { Database } from '../../packages/core/src/db/open/index.ts';
import { openFile } from '../../packages/core/src/db/sqlite/open.ts';
import {
  type AgentActor,
  AppError,
  can,
  contract,
  type ErrlogReceipt,
  type UserActor,
} from '../../packages/core/src/index.ts';
import { LinesBody } from '../../packages/intake/src/index.ts';
import type { LineReads } from '../../packages/store/src/index.ts';
import { errlogStore } from '../../packages/store/src/index.ts';
import type { LineRead } from '../../packages/store/src/lines/answer-read.ts';
import { Budget, SEARCH_MS } from '../../packages/store/src/lines/budget.ts';
import type { ArrivedLines } from '../../packages/store/src/lines/line-reads.ts';
import { readLines } from '../../packages/store/src/lines/read-lines.ts';
import { simulatedMs } from './platform.ts';
import type { ServerDisk } from './server-disk.ts';

const ADDRESS = '192.0.2.1';
const ALERTS_EVERY_MS = 5_000;
const DELIVERIES_EVERY_MS = 1_000;
const USES_EVERY_MS = 3_000;
const CLEAN_EVERY_MS = 60_000;
const RECEIPTS_AT_ONCE = 500;
const LINES_MAX = 1_000_000;

const never = () => false;
const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing } as never;
const limits = { isBounded: false, reserveBytes: 0, walBytes: 2 ** 30, walPages: 2 ** 20 };

/** Key of each simulated installation. */
export const KEY = createKeyRing(() => [secretKeyOf(Buffer.alloc(32, 7))]);

/** A batch of lines on its way. */
export interface SentBatch {
  readonly secret: string;
  readonly key: string;
  /** NDJSON. */
  readonly body: Buffer;
  /** Header with the numbers of an agent's batch. */
  readonly numbers: string | undefined;
}

/** A server that runs. */
export interface SimServer {
  readonly db: Database;
  /** Answers a request with lines. */
  append(batch: SentBatch): Promise<ErrlogReceipt>;
  readonly tokens: ReturnType<typeof apiTokenService>;
  readonly alerts: ReturnType<typeof alertService>;
  /** All stored lines, in the order of their arrival. */
  lines(): Promise<string[]>;
}

export const requestOf = (id: string) => ({ id, address: ADDRESS, client: 'simulation' });

/** Runs work again and again, as the jobs of the server do. */
function repeat(everyMs: number, work: () => Promise<unknown>): void {
  setTimeout(() => {
    work()
      .catch(nothing)
      .finally(() => repeat(everyMs, work));
  }, everyMs);
}

/** Opens the database of a disk. */
export const openDisk = (disk: ServerDisk): Promise<Database> =>
  openFile(disk.file, limits, { release: nothing }, disk.log());

/** Starts a server over a database. It runs until its process is killed. */
export async function startSimServer(opened: Database, transports: Transports): Promise<SimServer> {
  // Without a thread that writes, as on PostgreSQL: threads would run when the system wants.
  const { openThread: _, ...db } = opened;
  const now = Date.now;
  const monotonic = simulatedMs;
  const audit = createAuditLog(now, KEY);
  const events = await createEventBus(db, silent, now);
  await db.write((tx) => events.publish(tx, [{ type: 'resync', data: { reason: 'restart', of: 'all' } }]));
  const read = async <T>(what: LineRead) => {
    const { dialect, read: source } = db;
    const options = { sql: source.sql, dialect, budget: new Budget(SEARCH_MS), nowS: Math.floor(now() / 1000) };
    return (await readLines(options, what)).value as T;
  };
  const page: LineReads['page'] = (query, slice) => read({ kind: 'page', query, slice });
  const lineReads = { page } as LineReads;
  const sessionIdle = createSessionIdle(3_600);
  const tokenUses = createTokenUses(db, now);
  const deps = {
    ...{ db, log: silent, key: KEY, audit, events, lineReads, transports, now, monotonic, sessionIdle, tokenUses },
    attempts: createRunningAttempts(),
    admission: { isLate: never },
    listeningWindow: createListeningWindow(now, monotonic),
    health: {} as ServerHealth,
    publicUrl: undefined,
    tokenMaxDays: undefined,
    ...{ sourceQuota: 0, newGroupsPerMinute: 1_000, maxTokensPerUser: 1_000, sentryUserIp: false },
  };
  const errlog = errlogService(deps);
  await errlog.startUpgrade();
  await errlog.announceMissed();
  const alerts = alertService(deps, () => Promise.reject(new AppError('forbidden')));
  const tokens = apiTokenService(deps);
  const credentials = createCredentialUse(deps);
  const sender = createSender(deps);
  const { identify } = createIdentify({ ...deps, credentials, verifySignIn: async () => false, onClone: nothing });
  const store = errlogStore(db);
  repeat(ALERTS_EVERY_MS, () => alerts.run(never));
  repeat(DELIVERIES_EVERY_MS, sender.tick);
  repeat(USES_EVERY_MS, credentials.flush);
  repeat(CLEAN_EVERY_MS, () => db.write((tx) => store.removeReceipts(tx, now() - KEY_KEPT_MS, RECEIPTS_AT_ONCE)));
  wakeRounds({ db, log: silent, monotonic }, alerts);
  return {
    db,
    tokens,
    alerts,
    async lines() {
      const all = {
        kind: 'newerThan',
        id: '0',
        limit: LINES_MAX,
        query: {},
        textMax: Number.POSITIVE_INFINITY,
      } as const;
      const { data } = await read<ArrivedLines>(all);
      return data.map(({ log }) => log);
    },
    async append({ secret, key, body, numbers }) {
      const request = { ...requestOf(key), idempotencyKey: key, batchNumbers: numbers };
      const actor = await identify({ authorization: `Bearer ${secret}` }, ADDRESS, key);
      const { access } = contract.errlog.append;
      if (actor === null || !can(actor, access)) throw new AppError('forbidden');
      const lines = new LinesBody(body, 'ndjson', undefined) as never;
      return errlog.append({ body: lines, query: { dry_run: false }, actor: actor as UserActor | AgentActor, request });
    },
  };
}
