// Stores lines without the thread of a server, whose start takes longer than most tests.
import { type Database, statement } from '@quarterdeck/core/db';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import type { Sender } from '../../../packages/store/src/tables/sources.ts';
import { toColumns } from '../../../packages/store/src/write/line-columns.ts';
import { createLineStore } from '../../../packages/store/src/write/line-store.ts';

/** A line as the API names its parts; the sender is a node. */
export interface GroupLine {
  readonly level: number;
  readonly log: string;
  /** Unix seconds; default now. */
  readonly log_time?: number | undefined;
  readonly app_id?: number | undefined;
  readonly node_id?: number | undefined;
  readonly req_id?: string | undefined;
  readonly service?: string | undefined;
  readonly count?: number | undefined;
}

/** The line store knows senders by identity. */
const senders = new Map<number, Sender>();
function senderOf(nodeId: number): Sender {
  const sender = senders.get(nodeId) ?? { nodeType: 0, nodeId, name: `node ${nodeId}`, address: '' };
  senders.set(nodeId, sender);
  return sender;
}

/** Stores lines in one batch, at a time in Unix milliseconds. */
export async function storeGroups(db: Database, lines: readonly GroupLine[], nowMs = Date.now()): Promise<void> {
  const sent = toColumns(
    lines.map(({ level, log, node_id = -1, ...line }) => ({
      line: {
        level,
        log,
        logTime: line.log_time ?? Math.floor(nowMs / 1000),
        appId: line.app_id ?? 0,
        reqId: line.req_id ?? '',
        count: line.count ?? 1,
        service: line.service ?? '',
      },
      sender: senderOf(node_id),
    })),
    ({ log, service }) => fingerprint(log, service),
  );
  await db.write(async (tx) => {
    const store = createLineStore(db.dialect, 1_000_000);
    await store.lock(tx);
    await store.store(tx, [sent], nowMs);
  });
}

const NEXT_ID = statement("SELECT nextval('errlog_id_seq') AS id");

/** Takes the id of a group, as a batch of another server does long before its commit. On PostgreSQL. */
export const reserveGroupId = async (db: Database): Promise<number> =>
  (await db.write((tx) => tx.sql.get<{ id: number }>(NEXT_ID)))?.id ?? 0;

/** Stores a copy of a group with another id and fingerprint. */
export const copyGroup = (db: Database, from: number, id: number): Promise<unknown> =>
  db.write(async ({ prisma }) => {
    const row = await prisma.errlog.findUniqueOrThrow({ where: { id: from } });
    await prisma.errlog.create({ data: { ...row, id, fingerprint: `copy of ${row.fingerprint}` } });
  });
