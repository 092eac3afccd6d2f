// Sends entries of the audit log to other systems as they are written: in order, each at least once. The position of
// each receiver is in the database, so a server that was killed, or another one, goes on where the last one stopped.
import type { AuditEntry } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { createLease, initSetting, type Lease, readSetting, storeSetting } from '@quarterdeck/core/sql';
import type { Logger } from 'pino';
import type { Config } from '../../../settings/config.ts';
import { auditAfter, newestAudit, toEntry } from '../audit.repo.ts';
import { sendOtlp } from './send-otlp.ts';
import { sendSyslog, syslogMessage } from './send-syslog.ts';

/** Milliseconds between two looks for new entries. */
export const AUDIT_SEND_EVERY_MS = 1_000;
/** Entries in one batch. */
const BATCH = 100;
const LEASE_MS = 30_000;
/** Waits after failures: the first, and the longest. */
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 300_000;

/** Counts since the start of the server. */
export interface AuditSenderStats {
  readonly sent: number;
  readonly failures: number;
}

/** Sends entries to one receiver. */
export interface AuditSender {
  readonly name: 'syslog' | 'otlp';
  /** Sends what is new. Does nothing while another server does it, and while it waits after a failure. */
  run(stopped: () => boolean): Promise<void>;
  stats(): AuditSenderStats;
}

export interface AuditSenders {
  readonly senders: readonly AuditSender[];
  /** Lets another server send. Call it when no sender runs. */
  close(): Promise<void>;
}

interface SenderDeps {
  readonly db: Database;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Sends a batch, or rejects. */
type Send = (entries: readonly AuditEntry[]) => Promise<void>;

/**
 * Creates the senders of the configured receivers. A new receiver gets the entries from now on; the export has those
 * before.
 */
export async function createAuditSenders(
  deps: SenderDeps,
  { auditSyslog, auditOtlp, auditOtlpHeaders }: Config,
): Promise<AuditSenders> {
  const sends: [AuditSender['name'], Send][] = [];
  if (auditSyslog !== undefined) {
    sends.push([
      'syslog',
      (entries) =>
        sendSyslog(
          auditSyslog,
          entries.map((entry) => syslogMessage(entry)),
        ),
    ]);
  }
  if (auditOtlp !== undefined) {
    const receiver = { url: auditOtlp, headers: auditOtlpHeaders };
    sends.push(['otlp', (entries) => sendOtlp(receiver, entries)]);
  }
  const { db, now } = deps;
  const lease = createLease(db, 'audit_export', LEASE_MS, now);
  const senders: AuditSender[] = [];
  for (const [name, send] of sends) {
    await db.write(async (tx) => initSetting(tx, positionOf(name), String(await newestAudit(tx))));
    senders.push(createAuditSender(deps, lease, name, send));
  }
  return {
    senders,
    async close() {
      if (senders.length === 0) return;
      // Another server waits for the end of the lease where it cannot be given back.
      await lease.release().catch((error: unknown) => deps.log.warn({ err: error }, 'a lease was not given back'));
    },
  };
}

const positionOf = (name: AuditSender['name']): string => `audit_${name}_position`;

/** Creates the sender of a receiver. */
export function createAuditSender(
  { db, log, now }: SenderDeps,
  lease: Pick<Lease, 'hold' | 'keep'>,
  name: AuditSender['name'],
  send: Send,
): AuditSender {
  let sent = 0;
  let failures = 0;
  let failuresInRow = 0;
  let notBeforeMs = 0;

  /** Sends the next batch; returns true where there may be more. */
  async function sendNext(): Promise<boolean> {
    const position = Number((await readSetting(db.read, positionOf(name))) ?? 0);
    const rows = await auditAfter(db.read, position, BATCH);
    const [first] = rows;
    if (first === undefined) return false;
    if (first.id > position + 1) {
      const lost = first.id - position - 1;
      log.error({ receiver: name, entries: lost }, 'retention removed audit entries before they were sent');
    }
    await send(rows.map(toEntry));
    const isKept = await db.write(async (tx) => {
      if (!(await lease.keep(tx))) return false;
      await storeSetting(tx, positionOf(name), String(rows.at(-1)?.id ?? position));
      return true;
    });
    sent += rows.length;
    // Another server has sent these entries since, and more: the position must not go back.
    return isKept && rows.length === BATCH;
  }

  function noteFailure(error: unknown): void {
    failures += 1;
    failuresInRow += 1;
    notBeforeMs = now() + Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** Math.min(failuresInRow - 1, 30));
    if (failuresInRow === 1) {
      log.warn(
        { receiver: name, code: codeOf(error) },
        'audit entries cannot be sent; trying again with growing waits',
      );
    }
  }

  async function round(stopped: () => boolean): Promise<void> {
    if (now() < notBeforeMs || !(await lease.hold())) return;
    try {
      while ((await sendNext()) && !stopped() && (await lease.hold()));
    } catch (error) {
      noteFailure(error);
      return;
    }
    if (failuresInRow > 0) log.info({ receiver: name, failures: failuresInRow }, 'audit entries are sent again');
    failuresInRow = 0;
  }

  let running: Promise<void> | undefined;
  return {
    name,
    run(stopped) {
      // Two rounds at once would send everything twice.
      running ??= round(stopped).finally(() => {
        running = undefined;
      });
      return running;
    },
    stats: () => ({ sent, failures }),
  };
}

/** Code of an error. Its text may have an address with a secret. */
function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const text = String(code ?? cause?.code ?? (error instanceof Error ? error.name : 'unknown'));
  return /^[\w.-]{1,64}$/.test(text) ? text : 'unknown';
}
