// Reads and writes of enrollment tokens.
import type { Enrollment, Slice } from '@quarterdeck/core';
import { type Enrollment as EnrollmentRow, type Prisma, statement, type Tx } from '@quarterdeck/core/db';

/** Columns of a new token. */
type NewEnrollment = Omit<Parameters<Prisma['enrollment']['create']>[0]['data'], 'id' | 'used' | 'lastUsedMs'>;

function stateOf({ uses, used, expireMs }: EnrollmentRow, nowMs: number): Enrollment['state'] {
  if (expireMs > 0n && Number(expireMs) <= nowMs) return 'expired';
  return uses > 0 && used >= uses ? 'used_up' : 'active';
}

/** A token as the wire has it. */
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

/** A page of tokens, newest first, and the number of all. */
export async function listEnrollments({ prisma }: Tx, { offset, limit }: Slice) {
  const count = await prisma.enrollment.count();
  if (limit === 0) return { rows: [], count };
  const rows = await prisma.enrollment.findMany({
    orderBy: [{ createdMs: 'desc' }, { id: 'desc' }],
    skip: offset,
    take: limit,
  });
  return { rows, count };
}

/** One token; undefined where there is none. */
export const findEnrollment = async ({ prisma }: Tx, id: number): Promise<EnrollmentRow | undefined> =>
  (await prisma.enrollment.findUnique({ where: { id } })) ?? undefined;

/** Changes a token. */
export const updateEnrollment = (
  { prisma }: Tx,
  id: number,
  data: Partial<Pick<EnrollmentRow, 'name' | 'labels'>>,
): Promise<EnrollmentRow> => prisma.enrollment.update({ where: { id }, data });

/** Adds a token. */
export const createEnrollment = ({ prisma }: Tx, data: NewEnrollment): Promise<EnrollmentRow> =>
  prisma.enrollment.create({ data });

/** Removes a token and returns it; undefined where there is none. Of two concurrent calls one removes it. */
export async function removeEnrollment({ prisma }: Tx, id: number): Promise<EnrollmentRow | undefined> {
  const row = await prisma.enrollment.findUnique({ where: { id } });
  const { count } = await prisma.enrollment.deleteMany({ where: { id } });
  return row === null || count === 0 ? undefined : row;
}

/** A token that enrolls a node. */
export interface EnrollingToken extends Pick<EnrollmentRow, 'id' | 'name' | 'labels'> {
  /** Unix milliseconds; 0 is never. */
  readonly expireMs: number;
}

// Thousands of nodes may register at once with one token, so its use is counted by prepared statements.
const FOR_ENROLLING = 'SELECT id, name, expire_ms AS "expireMs", labels FROM enrollment WHERE id = ?';
// On SQLite writes run one after the other.
const LOCK = statement((dialect) => (dialect === 'sqlite' ? FOR_ENROLLING : `${FOR_ENROLLING} FOR UPDATE`));
const USE = statement(
  'UPDATE enrollment SET used = used + 1, last_used_ms = ? WHERE id = ? AND (uses = 0 OR used < uses)',
);
const USE_AGAIN = statement('UPDATE enrollment SET last_used_ms = ? WHERE id = ?');

/**
 * Locks a token until the write ends; undefined where it has been revoked. Of two concurrent requests of one node, the
 * second one finds the node enrolled.
 */
export const lockEnrollment = ({ sql }: Tx, id: number): Promise<EnrollingToken | undefined> =>
  sql.get<EnrollingToken>(LOCK, id);

/** Counts a node that is new to the token. Returns false where the token has no uses left. */
export const useEnrollment = async ({ sql }: Tx, id: number, nowMs: number): Promise<boolean> =>
  (await sql.run(USE, nowMs, id)).changes > 0;

/** Stores that the token has enrolled one of its nodes again. */
export const useEnrollmentAgain = async ({ sql }: Tx, id: number, nowMs: number): Promise<void> => {
  await sql.run(USE_AGAIN, nowMs, id);
};
