// Reads what rules about the health of an installation need: failing channels and the state of the backups.
import type { Tx } from '@quarterdeck/core/db';
import { readSettings } from '@quarterdeck/core/sql';
import * as z from 'zod';
import { LAST_BACKUP, LAST_BACKUP_ERROR } from '../../../backup/backups.ts';

const LastBackup = z.object({ timeMs: z.number() });
const LastBackupError = z.object({ sinceMs: z.number(), message: z.string() });

/** State of the backups, as it is stored. */
export interface BackupState {
  /** Time of the last good backup, Unix milliseconds. */
  readonly lastMs: number | undefined;
  /** Failure of the attempts since; undefined where the last one was good. */
  readonly error: { readonly sinceMs: number; readonly message: string } | undefined;
}

export async function readBackupState(tx: Tx): Promise<BackupState> {
  const stored = await readSettings(tx, [LAST_BACKUP, LAST_BACKUP_ERROR]);
  const last = parsed(LastBackup, stored.get(LAST_BACKUP));
  return { lastMs: last?.timeMs, error: parsed(LastBackupError, stored.get(LAST_BACKUP_ERROR)) };
}

/** A stored value; undefined where there is none, or another version wrote it in another form. */
function parsed<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A channel that delivers nothing since a time. */
export interface FailingChannel {
  readonly id: number;
  readonly name: string;
  /** Unix milliseconds. */
  readonly sinceMs: number;
}

/** Reads the channels that are disabled because their receivers answered 410. */
export async function disabledChannels({ prisma }: Tx): Promise<FailingChannel[]> {
  const rows = await prisma.webhook.findMany({
    where: { enabled: false, goneMs: { gt: 0 } },
    select: { id: true, name: true, goneMs: true },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, name, goneMs }) => ({ id, name, sinceMs: Number(goneMs) }));
}

/** Reads the channels that fail since a time or longer. */
export async function failingChannels({ prisma }: Tx, sinceMs: number): Promise<FailingChannel[]> {
  const rows = await prisma.webhook.findMany({
    where: { enabled: true, failingSinceMs: { gt: 0, lte: sinceMs } },
    select: { id: true, name: true, failingSinceMs: true },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, name, failingSinceMs }) => ({ id, name, sinceMs: Number(failingSinceMs) }));
}
