// Who sends error logs. What a source is never changes, so its id may be remembered.
import { type Database, statement } from '@quarterdeck/core/db';

/** Identity of a source, and where it was first seen. */
export interface Sender {
  /** 0 global, 1 admin site, 2 log server. */
  readonly nodeType: number;
  /** -1 = none. */
  readonly nodeId: number;
  readonly name: string;
  readonly address: string;
}

/** Remembered ids; beyond, the oldest is forgotten and asked for again. */
const REMEMBERED_MAX = 50_000;

const FIND = statement('SELECT id FROM source WHERE node_type = ? AND node_id = ? AND name = ?');
const INSERT = statement(
  `INSERT INTO source (node_type, node_id, name, address, created_ms) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (node_type, node_id, name) DO NOTHING`,
);

/** The id of a sender, which is made on first sight. */
export type SourceId = (sender: Sender) => Promise<number>;

/** Sources of a database. `now` is in Unix milliseconds. */
export function createSources(db: Database, now: () => number): SourceId {
  const remembered = new Map<string, number>();

  return async ({ nodeType, nodeId, name, address }) => {
    const key = `${nodeType},${nodeId},${name}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const find = () => db.read.sql.get<{ id: number }>(FIND, nodeType, nodeId, name);
    let row = await find();
    if (row === undefined) {
      await db.write((tx) => tx.sql.run(INSERT, nodeType, nodeId, name, address, now()));
      row = await find();
    }
    if (row === undefined) throw new Error('a source vanished');
    if (remembered.size >= REMEMBERED_MAX) {
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest);
        break;
      }
    }
    remembered.set(key, row.id);
    return row.id;
  };
}
