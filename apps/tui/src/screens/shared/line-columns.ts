// Columns of lines: time, level, host, service, the fields that differ, the text. Pure.
import { type Line, levelName } from '@quarterdeck/core';
import { fieldOfLine } from '@quarterdeck/core/filter';
import { differingFields, type LineShape, lineValue } from '@quarterdeck/views/lines';
import { fullTime, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { levelGlyph, levelTone } from '../../theme/theme.ts';

/** Longest part of a text that a row uses, characters. */
const SHOWN_MAX = 1_000;
/** Prefix of the ids of columns of fields. */
const FIELD = 'fields.';
const NAME_MAX = 24;

/** Name in a filter of the field that a column shows; undefined for the time, the text and the mark. */
export function fieldOfColumn(id: string): string | undefined {
  if (id.startsWith(FIELD)) return id.slice(FIELD.length);
  return ['level', 'host', 'service'].includes(id) ? id : undefined;
}

/** Measures of the columns; equal ones give equal columns. */
export interface LineColumnWidths {
  readonly time: number;
  /** 0 where no line has it. */
  readonly host: number;
  readonly service: number;
  /** Lines of several errors, whose texts tell more than their fields. */
  readonly mixed: boolean;
  readonly fields: readonly (readonly [name: string, width: number])[];
}

/** Measures the loaded lines. */
export function lineWidths(shape: LineShape, oldestS: number, nowMs: number): LineColumnWidths {
  const width = (name: string): number => shape.fields.get(name)?.width ?? 0;
  return {
    time: Math.max(8, shortTime(oldestS, nowMs).length),
    host: Math.min(NAME_MAX, width('host')),
    service: Math.min(NAME_MAX, width('service')),
    mixed: shape.fields.get('group')?.differs ?? true,
    fields: differingFields(shape).map((name) => [name, width(name)] as const),
  };
}

/** A part of a line as a column of rows. */
type LineColumn = Omit<Column<Line>, 'value' | 'field'>;

const LEVEL_COLUMN: LineColumn = {
  id: 'level',
  title: 'Level',
  width: 8,
  cell: ({ level }) => ({ text: `${levelGlyph(level)} ${levelName(level)}`, tone: levelTone(level) }),
  text: ({ level }) => levelName(level),
};

const nameColumn = (id: 'host' | 'service', title: string, width: number, drop: number): LineColumn[] =>
  width === 0
    ? []
    : [
        {
          id,
          title,
          width: Math.min(Math.max(width, title.length), 14),
          max: Math.max(width, title.length),
          grow: 1,
          drop,
          cell: (line) => ({ text: line[id], tone: 'muted' }),
        },
      ];

/** The columns of fields; the first ones are kept the longest. */
const fieldColumns = ({ fields }: LineColumnWidths): LineColumn[] =>
  fields.map(([name, width], index): LineColumn => {
    const title = (fieldOfLine(name) ?? name).slice(0, NAME_MAX);
    const needed = Math.max(width, title.length);
    return {
      id: `${FIELD}${name}`,
      title,
      width: Math.min(needed, 15),
      max: needed,
      grow: 3,
      drop: 4 + index,
      cell: (line) => ({ text: lineValue(line, name).slice(0, SHOWN_MAX) }),
      text: (line) => lineValue(line, name),
    };
  });

/** The columns of a table of lines. */
export function lineColumns(widths: LineColumnWidths, nowMs: number): LineColumn[] {
  const { time, host, service, mixed } = widths;
  return [
    {
      id: 'time',
      title: 'Time',
      width: time,
      pinned: true,
      cell: (line) => ({ text: shortTime(line.time, nowMs), tone: 'muted' }),
      text: (line) => fullTime(line.time * 1000),
    },
    // All lines of an error have its level and its service.
    ...(mixed ? [LEVEL_COLUMN] : []),
    ...nameColumn('host', 'Host', host, 2),
    ...nameColumn('service', 'Service', mixed ? service : 0, 20),
    ...fieldColumns(widths),
    {
      id: 'text',
      title: 'Text',
      width: mixed ? 20 : 12,
      grow: mixed ? 12 : 2,
      searched: true,
      isMessage: true,
      cell: (line) => ({ text: line.log.slice(0, SHOWN_MAX) }),
      text: ({ log }) => log,
    },
  ];
}

/** The columns that tell the lines of one error apart: time, host, and the fields that differ, else the text. */
export function groupColumns(widths: LineColumnWidths, nowMs: number): LineColumn[] {
  const shown = widths.fields.length === 0 ? ['time', 'host', 'text'] : ['time', 'host'];
  return lineColumns({ ...widths, mixed: false }, nowMs).filter(({ id }) => shown.includes(id) || id.startsWith(FIELD));
}
