// Queries about enrolment tokens.
import type { Enrollment, Slice } from '@quarterdeck/core';
import { type Database, type Prisma, statement, type Tx } from '@quarterdeck/core/db';

/** A row of the table, as Prisma has it. */
type EnrollmentRow = NonNullable<Awaited<ReturnType<Prisma['enrollment']['findFirst']>>>;

function stateOf({ uses, used, expireMs }: EnrollmentRow, nowMs: number): Enrollment['state'] {
  if (expireMs > 0n && Number(expireMs) <= nowMs) return 'expired';
  return uses > 0 && used >= uses ? 'used_up' : 'active';
}

/** A row as the wire has it. */
export function toEnrollment(row: EnrollmentRow, nowMs: number): Enrollment {
  return {
    id: row.id,
    name: row.name,
    expire: Number(row.expireMs),
    uses: row.uses,
    used: row.used,
    labels: JSON.parse(row.labels) as Enrollment['labels'],
    state: stateOf(row, nowMs),
    token_tail: row.tokenTail,
    created: Number(row.createdMs) / 1000,
    created_by: row.createdBy,
    last_used: row.lastUsedMs === 0n ? null : Number(row.lastUsedMs) / 1000,
  };
}

/** Enrolment tokens, newest first, and how many there are. */
export async function listEnrollments(db: Database, { offset, limit }: Slice) {
  const { enrollment } = db.read.prisma;
  const [count, rows] = await Promise.all([
    enrollment.count(),
    limit === 0
      ? []
      : enrollment.findMany({ orderBy: [{ createdMs: 'desc' }, { id: 'desc' }], skip: offset, take: limit }),
  ]);
  return { rows, count };
}

/** A token that is to enrol somebody. */
export interface EnrollingToken {
  readonly id: number;
  readonly name: string;
  readonly expire_ms: number;
  /** JSON text. */
  readonly labels: string;
}

const FOR_ENROLLING = 'SELECT id, name, expire_ms, labels FROM enrollment WHERE id = ?';
// On SQLite writes take turns anyway.
const LOCK = statement({
  sqlite: FOR_ENROLLING,
  postgresql: `${FOR_ENROLLING.replace('?', '$1')} FOR UPDATE`,
});
const USE = statement(
  'UPDATE enrollment SET used = used + 1, last_used_ms = ? WHERE id = ? AND (uses = 0 OR used < uses)',
);
const USE_AGAIN = statement('UPDATE enrollment SET last_used_ms = ? WHERE id = ?');

/**
 * A token, which enrols nobody else until the write ends: of two requests of one node at once, the second one finds that
 * it is enrolled. Undefined where it has been revoked.
 */
export const lockEnrollment = (tx: Tx, id: number): Promise<EnrollingToken | undefined> =>
  tx.sql.get<EnrollingToken>(LOCK, id);

/** Counts a node that the token has not enrolled before; false where it has no uses left. */
export const useEnrollment = async (tx: Tx, id: number, nowMs: number): Promise<boolean> =>
  (await tx.sql.run(USE, nowMs, id)).changes > 0;

/** Notes that the token has enrolled a node once more that it had enrolled before. */
export const useEnrollmentAgain = (tx: Tx, id: number, nowMs: number) => tx.sql.run(USE_AGAIN, nowMs, id);
