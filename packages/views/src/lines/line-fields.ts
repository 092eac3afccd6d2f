// Fields of lines by the name that they have in a filter. Pure.

import { fieldOfLine, nameOfField } from '@quarterdeck/core/filter';
import { levelName } from '@quarterdeck/core/plain';
import type { Line } from '@quarterdeck/sdk';

/** Fields measured at most; a sender may give each line new names. */
const FIELDS_MAX = 64;
/** Share of the lines that must have a field before it gets a column. */
const COLUMN_SHARE = 0.3;
const COLUMNS_MAX = 6;
/** Widest measured value, characters. */
const VALUE_MAX = 60;

/** The first fields of a table, in this order: they tell most about a request. */
const FIRST = ['client', 'upstream', 'request', 'status', 'method', 'path', 'user', 'server'];

/** One field of the lines seen so far. */
export interface FieldShape {
  readonly first: string;
  readonly differs: boolean;
  /** Lines that have it. */
  readonly count: number;
  /** Longest value, characters. */
  readonly width: number;
}

/** The lines seen so far: their number, and each field by its name in a filter. */
export interface LineShape {
  readonly lines: number;
  readonly fields: ReadonlyMap<string, FieldShape>;
}

/** The shape of no lines. */
export const NO_SHAPE: LineShape = { lines: 0, fields: new Map() };

/** Properties of the line itself that are measured like fields. */
const OWN = ['host', 'service', 'group', 'level'] as const;

/** Returns the value of a field by its name in a filter; empty if the line has none. */
export function lineValue(line: Line, name: string): string {
  const field = fieldOfLine(name);
  if (field !== undefined) return Object.hasOwn(line.fields, field) ? (line.fields[field] ?? '') : '';
  switch (name) {
    case 'level':
      return levelName(line.level).toLowerCase();
    case 'app':
      return line.app_id === 0 ? '' : String(line.app_id);
    case 'req':
      return line.req_id;
    case 'host':
    case 'service':
    case 'source':
    case 'src':
    case 'group':
      return String(line[name]);
    default:
      return '';
  }
}

/** Adds lines to a shape. */
export function growShape(shape: LineShape, lines: readonly Line[]): LineShape {
  if (lines.length === 0) return shape;
  const fields = new Map(shape.fields);
  const add = (name: string, value: string): void => {
    const known = fields.get(name);
    const width = Math.min(VALUE_MAX, value.length);
    if (known !== undefined) {
      const differs = known.differs || known.first !== value;
      fields.set(name, { first: known.first, differs, count: known.count + 1, width: Math.max(known.width, width) });
    } else if (fields.size < FIELDS_MAX) fields.set(name, { first: value, differs: false, count: 1, width });
  };
  for (const line of lines) {
    for (const name of OWN) {
      const value = lineValue(line, name);
      if (value !== '') add(name, value);
    }
    for (const [field, value] of Object.entries(line.fields)) add(nameOfField(field), value);
  }
  return { lines: shape.lines + lines.length, fields };
}

/** Names of the fields with a column: those that differ; first those that all lines have. */
export function differingFields({ lines, fields }: LineShape): string[] {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...fields]
    .filter(([name]) => !(OWN as readonly string[]).includes(name))
    .filter(([, { differs, count }]) => differs && count >= lines * COLUMN_SHARE)
    .sort(
      ([a, { count: m }], [b, { count: n }]) => Number(n === lines) - Number(m === lines) || rank(a) - rank(b) || n - m,
    )
    .slice(0, COLUMNS_MAX)
    .map(([name]) => name);
}
