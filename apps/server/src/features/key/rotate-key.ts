// Rotates the key in four steps: create the next key, give it to all servers, use it, name the files after their new
// roles. Each step can be repeated, and a process that ends between two of them leaves a working installation.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Tx } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { removeSettings, storeSetting } from '@quarterdeck/core/sql';
import { followKey } from '../../auth/key-check.ts';
import { openKeyFile, promoteNextKey, readKeyFile } from '../../auth/key-files.ts';
import type { KeyRing } from '../../auth/key-ring.ts';
import { KEY_CHECK, type SecretKey } from '../../auth/secrets.ts';
import { AUDIT_FORMER, readFormer, sealFormer } from '../audit/audit.former.ts';
import {
  AUDIT_HEAD,
  AUDIT_ORIGIN,
  AUDIT_START,
  type AuditLog,
  type EndName,
  readEnd,
  sealEnd,
} from '../audit/audit.log.ts';
import { lockAudit } from '../audit/audit.repo.ts';
import { readStoredEnds, type StoredEnds } from '../audit/audit.verify.ts';
import { KEY_ROTATE, rotationProof } from '../audit/chain-walk.ts';
import { encryptAgain } from './encrypt-again.ts';
import { announceKey, KEY_NEXT, readReports, type ServerReport } from './next-key.repo.ts';

export interface KeyDeps {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  readonly dataDir: string;
}

/** Milliseconds between two looks of a server at the announced key. */
export const KEY_WATCH_MS = 2_000;
/** Wait for the reports of all servers: some looks, and the time of their writes. */
const waitForServers = () => delay(3 * KEY_WATCH_MS);

export interface Rotation {
  readonly generation: number;
  /** Hosts whose servers do not have the next key; the rotation goes on once they do. Empty = the key is in use. */
  readonly missingAt: readonly string[];
}

/**
 * Creates the next key and uses it, or goes on where the last call stopped.
 *
 * @throws ConfigError while the key before is still accepted
 */
export async function rotateKey(deps: KeyDeps, wait: () => Promise<void> = waitForServers): Promise<Rotation> {
  const { db, dataDir } = deps;
  const next = prepareNextKey(deps);
  if (db.dialect === 'postgresql') {
    const reports = await askServers(deps, next, wait);
    const missingAt = reports.filter(({ has }) => !has).map(({ host }) => host);
    if (missingAt.length > 0) return { generation: next.generation, missingAt: [...new Set(missingAt)] };
  }
  await db.write((tx) => useKey(tx, deps, next));
  await followKey(db.read, deps.key);
  finishKeyFiles(dataDir, deps.key);
  await encryptAgain(db, deps.key);
  return { generation: next.generation, missingAt: [] };
}

/** Creates the file of the next key, unless there is one. */
export function prepareNextKey({ dataDir, key }: Pick<KeyDeps, 'dataDir' | 'key'>): SecretKey {
  finishKeyFiles(dataDir, key);
  key.reload();
  if (key.keys.some(({ generation }) => generation < key.generation)) {
    throw new ConfigError('secret.key.old is still accepted; end the last rotation with "quarterdeckd key drop-old"');
  }
  const next = openKeyFile(dataDir, 'next', key.generation + 1);
  if (next.generation !== key.generation + 1) {
    throw new ConfigError(`secret.key.next is not key ${key.generation + 1}; remove it, and run the command again`);
  }
  key.reload();
  return next;
}

async function askServers(
  { db }: KeyDeps,
  next: SecretKey,
  wait: () => Promise<void>,
): Promise<readonly ServerReport[]> {
  await db.write((tx) => announceKey(tx, next.check));
  await wait();
  return await readReports(db.read);
}

/** Names the files after the roles that the database gives to their keys. */
export function finishKeyFiles(dataDir: string, key: KeyRing): void {
  const next = readKeyFile(dataDir, 'next');
  if (next?.check !== key.check || readKeyFile(dataDir, 'current')?.check === key.check) return;
  promoteNextKey(dataDir);
}

/**
 * Uses a key that `keys` accepts. Does nothing where it is in use already. One write does it: the setting that names
 * the key in use, the sealed ends of the audit log, and the entry about it, which both keys seal.
 */
export async function useKey(
  tx: Tx,
  { key: keys, audit }: { readonly key: KeyRing; readonly audit: AuditLog },
  next: SecretKey,
): Promise<void> {
  await lockAudit(tx);
  const ends = await readStoredEnds(tx, keys);
  const { key: before } = ends;
  if (before.check === next.check) return;
  await sealAgain(tx, ends, next);
  await storeSetting(tx, KEY_CHECK, next.check);
  await removeSettings(tx, [KEY_NEXT]);
  const head = ends.head === undefined ? undefined : readEnd(before, AUDIT_HEAD, ends.head);
  const detail = {
    before: { key: before.generation },
    after: { key: next.generation },
    proof: rotationProof(before, head ?? AUDIT_ORIGIN, next),
  };
  await audit.record(tx, { action: KEY_ROTATE, actor: 'local', detail });
}

/** Seals the ends of the audit log under the next key. Tampered ones stay as they are, so that it shows. */
async function sealAgain(tx: Tx, { key, start, head, former }: StoredEnds, next: SecretKey): Promise<void> {
  const ends: [EndName, string | undefined][] = [
    [AUDIT_START, start],
    [AUDIT_HEAD, head],
  ];
  for (const [name, text] of ends) {
    const end = text === undefined ? undefined : readEnd(key, name, text);
    if (end !== undefined) await storeSetting(tx, name, sealEnd(next, name, end));
  }
  const entries = former === undefined ? undefined : readFormer(key, former);
  if (entries !== undefined) await storeSetting(tx, AUDIT_FORMER, sealFormer(next, entries));
}
