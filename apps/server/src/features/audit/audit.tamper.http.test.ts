// Tampering with the audit log by somebody who has the database and not the key.
import { statement } from '@quarterdeck/core/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { atMost, IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { record } from '../../../test/audit-entries.ts';
import { type TestApi, useApi } from '../../../test/start-api.ts';
import { userActor } from '../../../test/user-actor.ts';
import { verifyAudit } from './audit.verify.ts';

const change = ({ server }: TestApi, text: string, ...values: (string | number)[]) =>
  server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));

describe('tampering', () => {
  const FIELDS = [
    ...['time_ms', 'action', 'noun', 'actor_kind', 'actor_id', 'actor_name', 'credential', 'address', 'request_id'],
    ...['target_kind', 'target_id', 'detail', 'previous', 'hash'],
  ];
  const NUMBERS = new Set(['time_ms', 'actor_id', 'target_id']);

  const own = useApi();
  let last: number;
  beforeAll(async () => {
    const request = { id: 'request', address: '192.0.2.1', client: 'test' };
    for (let i = 0; i < atMost(4, 8); i += 1) {
      await record(own, { actor: userActor(i), request, target: { kind: 'test', id: i }, detail: { i } });
    }
    last = (await own.admin.audit.verify()).checked;
  });

  /** Does something, looks at the verdict, and puts everything back. */
  async function verdictAfter(tamper: () => Promise<unknown>) {
    const { db } = own.server.deps;
    const entries = await db.read.prisma.audit.findMany();
    const head = await db.read.prisma.setting.findMany({ where: { name: 'audit_head' } });
    await tamper();
    const verdict = await verifyAudit(db, own.server.deps.key);
    await db.write(async (tx) => {
      await tx.prisma.audit.deleteMany();
      await tx.prisma.audit.createMany({ data: entries });
      await tx.prisma.setting.deleteMany({ where: { name: 'audit_head' } });
      await tx.prisma.setting.createMany({ data: head });
    });
    return verdict;
  }

  it.each(nonEmpty(FIELDS))('detects a changed %s of any entry', async (field) => {
    for (const id of IS_THOROUGH ? Array.from({ length: last }, (_, i) => i + 1) : [1, 4, last]) {
      const set = NUMBERS.has(field) ? `${field} = ${field} + 1` : `${field} = ${field} || 'x'`;
      const verdict = await verdictAfter(() => change(own, `UPDATE audit SET ${set} WHERE id = ?`, id));
      expect(verdict).toEqual({ intact: false, checked: id - 1, broken_at: id });
    }
  });

  it('detects any removed entry, the first and the newest ones too', async () => {
    for (let id = 1; id <= last; id += 1) {
      const verdict = await verdictAfter(() => change(own, 'DELETE FROM audit WHERE id = ?', id));
      expect(verdict).toEqual({ intact: false, checked: id - 1, broken_at: id });
    }
    const all = await verdictAfter(() => change(own, 'DELETE FROM audit'));
    expect(all).toEqual({ intact: false, checked: 0, broken_at: 1 });
  });

  it('detects two swapped entries, with and without their hashes', async () => {
    const ids = (a: number, b: number) => change(own, 'UPDATE audit SET id = ? WHERE id = ?', b, a);
    const swapped = await verdictAfter(async () => {
      await ids(3, 1000);
      await ids(4, 3);
      await ids(1000, 4);
    });
    expect(swapped).toEqual({ intact: false, checked: 2, broken_at: 3 });
    const mixed = await verdictAfter(() =>
      own.server.deps.db.write(async ({ prisma }) => {
        const entries = await prisma.audit.findMany({ where: { id: { in: [3, 4] } } });
        for (const { id, previous: _previous, hash: _hash, ...contents } of entries) {
          await prisma.audit.update({ where: { id: 7 - id }, data: contents });
        }
      }),
    );
    expect(mixed).toEqual({ intact: false, checked: 2, broken_at: 3 });
  });

  it('detects an inserted entry, and one with another id', async () => {
    const copy = (id: number) =>
      change(
        own,
        `INSERT INTO audit (id, ${FIELDS.join(', ')}) SELECT CAST(? AS integer), ${FIELDS.join(', ')} FROM audit WHERE id = 3`,
        id,
      );
    expect(await verdictAfter(() => copy(last + 1))).toEqual({ intact: false, checked: last, broken_at: last + 1 });
    expect(await verdictAfter(() => copy(0))).toEqual({ intact: false, checked: 0, broken_at: 1 });
    expect(await verdictAfter(() => copy(-5))).toEqual({ intact: false, checked: 0, broken_at: 1 });
    const moved = await verdictAfter(() => change(own, 'UPDATE audit SET id = id + 1 WHERE id = ?', last));
    expect(moved).toEqual({ intact: false, checked: last - 1, broken_at: last });
  });

  it('detects a changed or removed head', async () => {
    const end = { intact: false, checked: last, broken_at: last + 1 };
    expect(await verdictAfter(() => change(own, "DELETE FROM setting WHERE name = 'audit_head'"))).toEqual(end);
    const forged = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      const { hash } = await own.server.deps.db.read.prisma.audit.findUniqueOrThrow({ where: { id: last - 1 } });
      const value = `${last - 1}:${hash}:${'0'.repeat(64)}`;
      await change(own, "UPDATE setting SET value = ? WHERE name = 'audit_head'", value);
    });
    expect(forged).toEqual({ intact: false, checked: last - 1, broken_at: last });
  });

  it('stays detected: later entries are recorded and do not hide it', async () => {
    const taken = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      await record(own);
    });
    expect(taken).toEqual({ intact: false, checked: last - 1, broken_at: last });
    const headless = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      await change(own, "DELETE FROM setting WHERE name = 'audit_head'");
      await record(own);
      await record(own);
    });
    expect(headless).toEqual({ intact: false, checked: last - 1, broken_at: last });
    const forged = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit');
      await change(own, "UPDATE setting SET value = '1' WHERE name = 'audit_head'");
      await record(own);
    });
    expect(forged).toEqual({ intact: false, checked: 0, broken_at: 1 });
    const crowded = await verdictAfter(async () => {
      await change(own, 'UPDATE audit SET id = ? WHERE id = 3', last + 1);
      await record(own);
    });
    expect(crowded).toEqual({ intact: false, checked: 2, broken_at: 3 });
  });
});
