// Cursors of lists of groups: opaque text with the place at which a read goes on.
import { createHash } from 'node:crypto';
import type { ErrlogSort } from '@quarterdeck/core';
import { type AppError, invalidField } from '@quarterdeck/core/plain';
import type { ListQuery } from '../tables/columns.ts';
import type { Place } from './ordered-scan.ts';

/** Place of a read. */
export interface ListCursor {
  /** Id of the next line when the read began. */
  readonly since: number;
  /** Behind this place the list goes on. */
  readonly list?: Place | undefined;
  /** The list was read to its end. */
  readonly arrived?: Arrived | undefined;
}

/** Second part of a read: groups of the lines that arrived during the first. */
export interface Arrived {
  /** Id of the next line when the list ended. */
  readonly until: number;
  /** Groups with an id below are left. */
  readonly belowId: number;
}

const FORM = /^([0-9a-f]{16}) (\d{1,16}) (list|arrived) (\d{1,16}) (\d{1,16})$/;

/** Formats a cursor for a query. */
export function formatListCursor(query: ListQuery, { since, list, arrived }: ListCursor): string {
  const place = list === undefined ? ['arrived', arrived?.until, arrived?.belowId] : ['list', list.at, list.id];
  return Buffer.from([checkOf(query), since, ...place].join(' ')).toString('base64url');
}

/**
 * Parses the cursor of a query.
 *
 * @throws AppError `validation_failed` for a text that is no cursor, or one of another filter or order
 */
export function parseListCursor(query: ListQuery<ErrlogSort>, cursor: string): ListCursor {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, check, since, part, first, second] = FORM.exec(text) ?? [];
  if (check === undefined) throw refused('must be empty, or meta.next of an answer');
  if (check !== checkOf(query))
    throw refused('is of a list with another filter or sort; begin again with an empty one');
  const [from, id] = [Number(first), Number(second)];
  return part === 'list'
    ? { since: Number(since), list: { at: from, id } }
    : { since: Number(since), arrived: { until: from, belowId: id } };
}

/** Hash of what must not change during a read. */
const checkOf = ({ filter, sort, rollup }: ListQuery<ErrlogSort>): string =>
  createHash('sha256')
    .update(JSON.stringify([filter, sort, rollup]))
    .digest('hex')
    .slice(0, 16);

function refused(message: string): AppError {
  return invalidField('query.cursor', message);
}
