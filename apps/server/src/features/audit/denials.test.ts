import { openDatabase } from '@quarterdeck/core/db';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { createKeyRing } from '../../auth/key-ring.ts';
import { secretKeyOf } from '../../auth/secrets.ts';
import { createAuditLog } from './audit.log.ts';
import { createDenials, type Denial } from './denials.ts';

const request = { id: '', address: '192.0.2.1', client: '' };
const denial = (path: string): Denial => ({
  actor: { kind: 'agent', agentId: 1, permissions: [] },
  method: 'GET',
  path,
  code: 'forbidden',
  request,
});

async function setUp() {
  const dataDir = newFolder();
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const lines: string[] = [];
  let nowMs = 1_000_000;
  const now = () => nowMs;
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
  const ring = createKeyRing(() => [secretKeyOf(new Uint8Array(32))]);
  const denials = createDenials({ db, audit: createAuditLog(now, ring), log, now });
  return {
    db,
    denials,
    lines,
    setClock: (ms: number) => {
      nowMs = ms;
    },
    async [Symbol.asyncDispose]() {
      await denials.close();
      await db.close();
    },
  };
}

it('keeps a bounded number, and logs the rest', async () => {
  await using own = await setUp();
  for (let i = 0; i < 2_000; i += 1) own.denials.note(denial(`/${i}`));
  expect(own.lines.length).toBeGreaterThan(500);
  await own.denials.close();
  const written = await own.db.read.prisma.audit.count();
  expect(written + own.lines.length).toBe(2_000);
});

it('neither throws nor stops when the database is gone', async () => {
  const own = await setUp();
  await own.db.close();
  own.denials.note(denial('/a'));
  await own.denials.close();
  own.denials.note(denial('/b'));
  await own[Symbol.asyncDispose]();
  expect(own.lines.filter((line) => line.includes('could not be written'))).toHaveLength(2);
});

it('goes on when the clock is set back', async () => {
  await using own = await setUp();
  own.denials.note(denial('/a'));
  own.setClock(10);
  own.denials.note(denial('/a'));
  await own.denials.close();
  expect(await own.db.read.prisma.audit.count()).toBe(2);
});
