// Names under which senders appear in lines (decision 073). A name belongs to who had it first. Another sender gets a
// mark behind it, so nobody takes over a name. Stored lines keep their names.
import { type Sql, type SqlTx, statement } from '@quarterdeck/core/db';
import { cleanName } from '@quarterdeck/core/lines';
import { nameKey } from '@quarterdeck/core/plain';
import { exclusiveLock } from '@quarterdeck/core/sql';
import { NEXT_LINE } from './segment-rows.ts';

/** Names of agents by id, of this server, and names that end with a mark: a mark must not be forged. */
const RESERVED =
  /^(?:agent \d+(?: .*)?|quarterdeck)$|\((?:agent|token|user) \d+\)$|\((?:\d+(?:\.\d+){3}|[\da-f]*:[\da-f:.]*)\)$/;

const OF_AGENTS = `SELECT 1 AS held FROM agent_name n JOIN agent a ON a.id = n.agent_id
  WHERE n.name_key = ? AND n.agent_id <> ? AND NOT a.is_deleted
    AND NOT EXISTS (SELECT 1 FROM agent_name m WHERE m.agent_id = n.agent_id AND m.from_line > n.from_line)`;
const HELD_BY_AGENT = statement(`${OF_AGENTS} LIMIT 1`);
const HELD = statement(
  `${OF_AGENTS} UNION ALL SELECT 1 FROM source WHERE name_key = ? AND agent_id = 0 AND host = '' LIMIT 1`,
);
const CURRENT = statement('SELECT name FROM agent_name WHERE agent_id = ? ORDER BY from_line DESC LIMIT 1');
// The first name counts from the first line on. Two names without a line between them are one row.
const INSERT = statement(
  `INSERT INTO agent_name (agent_id, from_line, name, name_key)
   SELECT ?, CASE WHEN EXISTS (SELECT 1 FROM agent_name WHERE agent_id = ?) THEN CAST(value AS int8) ELSE 0 END, ?, ?
   FROM setting WHERE name = '${NEXT_LINE}'
   ON CONFLICT (agent_id, from_line) DO UPDATE SET name = excluded.name, name_key = excluded.name_key`,
);
// The first name that stays is that of the oldest line.
const REMOVE_OLD = statement(
  `DELETE FROM agent_name WHERE agent_id = ? AND from_line < (SELECT max(m.from_line) FROM agent_name m
     WHERE m.agent_id = ? AND m.from_line <= (SELECT min(id) FROM errlog_segment))`,
);
const COUNT = statement('SELECT count(*) AS n FROM agent_name WHERE agent_id = ?');
const LOCK = exclusiveLock('names');
/** Most names of one agent in stored lines. Beyond, the id of the agent is its name. */
const NAMES_MAX = 1_000;

/** The name of an agent for a hostname, with a mark where another sender holds it. */
async function freeName(sql: Sql, agentId: number, hostname: string): Promise<string> {
  const name = cleanName(hostname);
  const key = nameKey(name);
  const isHeld = RESERVED.test(key) || (await sql.get(HELD, key, agentId, key)) !== undefined;
  return isHeld ? `${name} (agent ${agentId})` : name;
}

/** Gives an agent the name of its host, for lines that arrive from now on. */
export async function nameAgent({ sql }: SqlTx, agentId: number, hostname: string): Promise<void> {
  const find = async () => {
    const current = (await sql.get<{ name: string }>(CURRENT, agentId))?.name;
    return { current, free: await freeName(sql, agentId, hostname) };
  };
  const before = await find();
  if (before.current === before.free) return;
  // Two agents that take a name at the same time must see each other.
  await sql.all(LOCK);
  const { current, free } = await find();
  await sql.run(REMOVE_OLD, agentId, agentId);
  const { n = 0 } = (await sql.get<{ n: number }>(COUNT, agentId)) ?? {};
  const name = n < NAMES_MAX ? free : `agent ${agentId}`;
  if (name !== current) await sql.run(INSERT, agentId, agentId, name, nameKey(name));
}

/** The name of a new sender with a mark, where an agent or this server holds the name; `''` without a mark. */
export async function markedName(sql: Sql, name: string, mark: string): Promise<string> {
  const key = nameKey(name);
  const isHeld = RESERVED.test(key) || (await sql.get(HELD_BY_AGENT, key, 0)) !== undefined;
  return isHeld && mark !== '' ? `${name} (${mark})` : '';
}
