// Rows of the changes of hosts, and of their differences.
import { statement, type Tx } from '@quarterdeck/core/db';

/** A change of a host, before it is stored. */
export interface NewHostChange {
  readonly agentId: number;
  readonly timeMs: number;
  /** It happened between this time and `timeMs`; 0 is at `timeMs`. */
  readonly sinceMs: number;
  readonly kind: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** Changed lines; empty = none. */
  readonly diff: string;
}

// As JSON, all changes of a report are one statement.
const INSERT = statement({
  sqlite: `INSERT INTO agent_change (agent_id, time_ms, since_ms, kind, field, before, after, has_diff)
     SELECT value ->> 'agentId', value ->> 'timeMs', value ->> 'sinceMs', value ->> 'kind', value ->> 'field', value ->> 'before',
       value ->> 'after', value ->> 'diff' <> '' FROM json_each(?) ORDER BY key RETURNING id`,
  postgresql: `INSERT INTO agent_change (agent_id, time_ms, since_ms, kind, field, before, after, has_diff)
     SELECT agent_id, time_ms, since_ms, kind, field, before, after, diff <> ''
     FROM ROWS FROM (json_to_recordset(CAST($1 AS json)) AS ("agentId" integer, "timeMs" bigint, "sinceMs" bigint,
       kind text, field text, before text, after text, diff text))
       WITH ORDINALITY AS given(agent_id, time_ms, since_ms, kind, field, before, after, diff, place) ORDER BY place RETURNING id`,
});
const INSERT_DIFFS = statement({
  sqlite: `INSERT INTO agent_change_diff (change_id, diff)
     SELECT value ->> 'id', value ->> 'diff' FROM json_each(?)`,
  postgresql: `INSERT INTO agent_change_diff (change_id, diff)
     SELECT id, diff FROM json_to_recordset(CAST($1 AS json)) AS given(id bigint, diff text)`,
});

/** Adds changes of hosts to the history. */
export async function insertHostChanges({ sql }: Tx, changes: readonly NewHostChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = await sql.all<{ id: number }>(INSERT, JSON.stringify(changes));
  // The database may return the rows in another order than that of their ids, in which it has stored them.
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  const diffs = changes.map(({ diff }, at) => ({ id: ids[at], diff })).filter(({ diff }) => diff !== '');
  if (diffs.length > 0) await sql.run(INSERT_DIFFS, JSON.stringify(diffs));
}

/** Reads the changed lines of an entry of an agent's history; undefined where it has none. */
export async function findDiff({ prisma }: Tx, agentId: number, changeId: number): Promise<string | undefined> {
  const row = await prisma.agentChangeDiff.findFirst({
    where: { changeId, change: { agentId } },
    select: { diff: true },
  });
  return row?.diff;
}
