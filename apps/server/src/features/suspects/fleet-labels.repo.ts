// Counts the labels of agents.
import { type Database, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

/** Agents with a label. */
export interface LabelRow {
  readonly name: string;
  readonly value: string;
  readonly n: number;
}

/** Labels that are counted: the most frequent. */
const LABELS_MAX = 500;

const OF_ALL = statement(
  `SELECT name, value, count(*) AS n FROM agent_label GROUP BY name, value HAVING count(*) > 1 ORDER BY n DESC LIMIT ?`,
);
const OF_SOME = statement(
  (dialect) =>
    `SELECT name, value, count(*) AS n FROM agent_label WHERE ${inJson(dialect, 'agent_id')} GROUP BY name, value`,
);

/** Returns the most frequent labels, without those of a single agent. */
export const labelsOfAll = (db: Database): Promise<LabelRow[]> => db.read.sql.all<LabelRow>(OF_ALL, LABELS_MAX);

/** Returns the labels of some agents. */
export const labelsOfSome = (db: Database, ids: Iterable<number>): Promise<LabelRow[]> =>
  db.read.sql.all<LabelRow>(OF_SOME, JSON.stringify([...ids]));
