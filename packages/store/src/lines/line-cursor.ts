// Cursors of pages of lines: opaque text with the place behind which a page begins.
import { invalidField } from '@quarterdeck/core/plain';

/** Parameter that a cursor is given in. */
export type CursorName = 'before' | 'after';

/** Place between two lines. */
export interface Cursor {
  /** Unix seconds. */
  readonly time: number;
  readonly id: number;
  /**
   * Lines are read in the order of arrival, from behind this id: for a search whose lines of one moment are in too many
   * segments for the time of one search.
   */
  readonly arrived?: number | undefined;
}

const FORM = /^(before|after) (-?\d{1,16}) (-?\d{1,16})(?: (-?\d{1,16}))?$/;

export function formatCursor(name: CursorName, { time, id, arrived }: Cursor): string {
  const parts = [name, time, id, ...(arrived === undefined ? [] : [arrived])];
  return Buffer.from(parts.join(' ')).toString('base64url');
}

/** @throws AppError `validation_failed` naming the parameter, for any other text */
export function parseCursor(name: CursorName, text: string): Cursor {
  const [, kind, time, id, arrived] = FORM.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (kind !== name) {
    throw invalidField(`query.${name}`, `must be a cursor from meta.${name} of an answer`);
  }
  return { time: Number(time), id: Number(id), arrived: arrived === undefined ? undefined : Number(arrived) };
}
