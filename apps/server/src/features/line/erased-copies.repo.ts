// Queries that read and replace the copies of lines, in slices by id.
import { statement, type Tx } from '@quarterdeck/core/db';

/** A row with a copy. The columns that a table does not have are empty. */
export interface CopyRow {
  readonly id: number;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  readonly title: string;
  /** Time of the last attempt, Unix milliseconds; 0 before it. */
  readonly attemptMs: number;
  readonly webhookId: number;
}

export interface CopyTable {
  /** Rows behind an id. */
  read(tx: Tx, afterId: number, limit: number): Promise<CopyRow[]>;
  /** Replaces the texts of a row, unless they have changed. */
  replace(tx: Tx, row: CopyRow, data: string, title: string): Promise<unknown>;
}

const rows = (table: string, columns: string) => {
  const query = statement(`SELECT id, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`);
  return ({ sql }: Tx, afterId: number, limit: number) => sql.all<CopyRow>(query, afterId, limit);
};

const NONE = `'' AS title, 0 AS "attemptMs", 0 AS "webhookId"`;

const SET_EVENT = statement('UPDATE event SET data = ? WHERE id = ? AND data = ?');
const SET_ALERT = statement('UPDATE alert SET detail = ?, title = ? WHERE id = ? AND detail = ? AND title = ?');
// The error may quote the answer of the receiver, and that the message. The result of an attempt that runs on another
// server does not count any more: the message is sent again, without the text.
const SET_DELIVERY = statement(
  `UPDATE webhook_delivery SET body = ?, error = CASE WHEN error = '' THEN '' ELSE ? END,
     attempts = attempts + CASE WHEN state = 'waiting' THEN 1 ELSE 0 END
   WHERE id = ? AND body = ?`,
);

export const EVENTS: CopyTable = {
  read: rows('event', `type, data, ${NONE}`),
  replace: ({ sql }, { id, data: before }, data) => sql.run(SET_EVENT, data, id, before),
};

export const ALERTS: CopyTable = {
  read: rows('alert', `key AS type, detail AS data, title, 0 AS "attemptMs", 0 AS "webhookId"`),
  replace: ({ sql }, row, data, title) => sql.run(SET_ALERT, data, title, row.id, row.data, row.title),
};

export const DELIVERIES: CopyTable = {
  read: rows(
    'webhook_delivery',
    `type, body AS data, '' AS title, attempt_ms AS "attemptMs", webhook_id AS "webhookId"`,
  ),
  replace: ({ sql }, { id, data: before }, data, error) => sql.run(SET_DELIVERY, data, error, id, before),
};
