// Creates and reads audit entries for tests.
import type { AuditDraft } from '../src/features/audit/audit.log.ts';
import type { TestApi } from './start-api.ts';

/** Records an entry. */
export const record = ({ server }: TestApi, draft: Partial<AuditDraft> = {}) =>
  server.deps.db.write((tx) => server.deps.audit.record(tx, { action: 'test.done', actor: 'system', ...draft }));

/** Records entries in one write. */
export const recordMany = ({ server }: TestApi, count: number) =>
  server.deps.db.write(async (tx) => {
    for (let i = 0; i < count; i += 1) {
      await server.deps.audit.record(tx, { action: 'test.done', actor: 'system', detail: { text: `é ${i}` } });
    }
  });

/** Ids of the entries after an id. */
export async function idsAfter({ server }: TestApi, id: number): Promise<number[]> {
  const rows = await server.deps.db.read.prisma.audit.findMany({ where: { id: { gt: id } }, orderBy: { id: 'asc' } });
  return rows.map((row) => row.id);
}
