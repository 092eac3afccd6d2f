// Applies a filter to the rows of a list: a row stands for a line, and its columns for the fields of the line. Pure.
import {
  columnFields,
  compileFilter,
  type FieldNames,
  type Filter,
  type FilterableLine,
  fieldOfLine,
  termsOf,
} from '@quarterdeck/core/filter';
import { type Column, cellText } from './column.ts';

/** A glyph before the word of a cell. */
const LEADING_GLYPH = /^[–·•✓✗✖↺\u2500-\u25FF](?: |$)/;
const GROUPED_NUMBER = /^-?\d{1,3}(?:,\d{3})+$/;
/** Columns with the time of a row, the best first; the first column with times otherwise. */
const MAIN_TIMES = ['time', 'started', 'created'];

/** The value of a row in a column as filters compare it. */
export function filterValue<T>(column: Column<T>, row: T): string {
  if (column.moment !== undefined) {
    const unix = column.moment(row);
    return unix === 0 ? '' : String(unix);
  }
  if (column.number !== undefined) return String(column.number(row));
  const text = cellText(column, row).replace(LEADING_GLYPH, '').trim();
  return GROUPED_NUMBER.test(text) ? text.replaceAll(',', '') : text;
}

/** Marks a column with times in a shape. */
const TIME_MARK = '@';

/** The part of the columns that filters depend on, as text: it stays the same while widths and rows change. */
export const columnShape = <T>(columns: readonly Column<T>[]): string =>
  columns.map(({ id, moment }) => `${moment === undefined ? '' : TIME_MARK}${id}`).join(' ');

/** The names that filters of columns with this shape know. */
export const namesOfShape = (shape: string, nowS: number): FieldNames =>
  columnFields(
    shape.split(' ').map((id) => ({ id: id.replace(TIME_MARK, ''), isTime: id.startsWith(TIME_MARK) })),
    nowS,
  );

/** Lets `^` and `$` of expressions match at both ends of each column, which are lines of the text of a row. */
function byColumn(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map(byColumn) };
    case 'not':
      return { kind: 'not', term: byColumn(filter.term) };
    case 'expression':
      return { ...filter, source: `(?m)${filter.source}` };
    default:
      return filter;
  }
}

/** Compiles a filter to a test of one row. Its expressions must be loaded. */
export function rowTest<T>(filter: Filter, columns: readonly Column<T>[], nowS: number): (row: T) => boolean {
  const test = compileFilter(byColumn(filter), nowS);
  const names = termsOf(filter).flatMap((term) => (term.kind === 'field' ? [fieldOfLine(term.field)] : []));
  const asked = columns.filter(({ id }) => names.includes(id));
  const timed = columns.filter(({ moment }) => moment !== undefined);
  const byName = MAIN_TIMES.map((id) => timed.find((column) => column.id === id));
  const main = byName.find((column) => column !== undefined) ?? timed[0];
  return (row) => test(new RowLine(row, columns, asked, main));
}

/** A row as a line. The text of the line is that of all columns. */
class RowLine<T> implements FilterableLine {
  readonly level = 0;
  readonly host = '';
  readonly service = '';
  readonly source = '';
  readonly src = 0;
  readonly app_id = 0;
  readonly req_id = '';
  readonly group = 0;
  readonly #row: T;
  readonly #columns: readonly Column<T>[];
  readonly #asked: readonly Column<T>[];
  readonly #main: Column<T> | undefined;

  constructor(row: T, columns: readonly Column<T>[], asked: readonly Column<T>[], main: Column<T> | undefined) {
    this.#row = row;
    this.#columns = columns;
    this.#asked = asked;
    this.#main = main;
  }

  get time(): number {
    return this.#main?.moment?.(this.#row) ?? 0;
  }

  get log(): string {
    return this.#columns.map((column) => cellText(column, this.#row)).join('\n');
  }

  fields = (): Readonly<Record<string, string>> =>
    Object.fromEntries(this.#asked.map((column) => [column.id, filterValue(column, this.#row)]));
}
