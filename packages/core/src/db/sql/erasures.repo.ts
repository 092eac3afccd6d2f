// The number of erasures. A write that stores a text which was read before it, such as a message about an error,
// compares the number: the text may have been erased in between.
import { type SqlTx, statement } from '../open/index.ts';
import { exclusiveLock, sharedLock } from './locks.ts';

const NAME = 'line_erasures';
const COUNT = statement(`SELECT CAST(value AS int8) AS n FROM setting WHERE name = '${NAME}'`, { isShort: true });
const ADD = statement(
  `INSERT INTO setting (name, value) VALUES ('${NAME}', '1')
   ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(setting.value AS int8) + 1 AS text)`,
);
const EXCLUSIVE = exclusiveLock('erasures');
const SHARED = sharedLock('erasures');

/** Number of erasures so far: read it before the texts. */
export const countErasures = async ({ sql }: SqlTx): Promise<number> => (await sql.get<{ n: number }>(COUNT))?.n ?? 0;

/** The same in a write. Until it ends, erasures wait before they search the copies of texts. */
export async function holdErasures(tx: SqlTx): Promise<number> {
  await tx.sql.all(SHARED);
  return await countErasures(tx);
}

/** Counts an erasure, after the texts are gone. Waits for the writes that hold the number. */
export async function addErasure({ sql }: SqlTx): Promise<void> {
  await sql.all(EXCLUSIVE);
  await sql.run(ADD);
}
