// Columns of the error log. Pure.
import { levelName } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { distinctNames, ERROR_LEVEL, hostName, sourceName, sourcesText, WARN_LEVEL } from '@quarterdeck/views/errlog';
import { clean, count, fullTime, narrowTime, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { width as widthOf } from '../../text/width.ts';
import { type BaseTone, levelGlyph, levelTone } from '../../theme/theme.ts';

/** Longest part of a message that a row uses, characters. */
const SHOWN_MAX = 1_000;

const STATE_TONES: Readonly<Record<string, BaseTone>> = {
  new: 'plain',
  ongoing: 'muted',
  regressed: 'bad',
  resolved: 'good',
  muted: 'faint',
};
const STATE_GLYPHS: Readonly<Record<string, string>> = {
  new: '◈',
  ongoing: '▸',
  regressed: '↺',
  resolved: '✓',
  muted: '○',
};

/** A state as glyph and word. */
export const stateCell = (state = ''): { text: string; tone: BaseTone } => ({
  text: state === '' ? '' : `${STATE_GLYPHS[state] ?? '·'} ${state}`,
  tone: STATE_TONES[state] ?? 'plain',
});

/** True for resolved and muted groups. */
const isQuiet = ({ state }: ErrlogEntry): boolean => state === 'resolved' || state === 'muted';

/** The tone of an open error or warning on the scroll bar. */
export function errlogTick(row: ErrlogEntry): BaseTone | undefined {
  if (isQuiet(row) || row.level > WARN_LEVEL) return undefined;
  return row.level === WARN_LEVEL ? 'warning' : row.level === ERROR_LEVEL ? 'bad' : 'worst';
}

/** Width from which times of other days have room at once, so that older rows move nothing, columns. */
const ROOMY_FROM = 100;
/** Width from which sources have room beside the message and whole times, columns. */
const WHOLE_FROM = 74;
/** Width from which states have room beside the message, columns. */
const STATE_FROM = 88;
/** Names measured; with more, the column is wide anyway. */
const SOURCES_MEASURED = 200;

export interface ErrlogWidths {
  readonly time: number;
  readonly source: number;
  /** 0 where no row has a service, and on narrow screens, where the source names it. */
  readonly service: number;
  /** Names of sources that share theirs with another one, as JSON: text, so that the same names are equal. */
  readonly renamed: string;
  /** 0 where no row has a state, and on narrow screens. */
  readonly state: number;
  /** True where the message, the source and the time are shortened. */
  readonly isNarrow: boolean;
}

/** Measures the loaded rows. */
export function errlogWidths(rows: Iterable<ErrlogEntry>, nowMs: number, width: number): ErrlogWidths {
  // Ten thousand rows ten times a second: only the widest candidates are measured.
  let oldest = nowMs / 1000;
  let state = 0;
  const known = new Map<number, ErrlogEntry>();
  const services = new Set<string>();
  for (const row of rows) {
    oldest = Math.min(oldest, row.log_time);
    if (row.state !== undefined && width >= STATE_FROM) state = 11;
    known.set(row.src, row);
    services.add(row.service ?? '');
  }
  const names = namesOf(known);
  const isRoomy = width >= ROOMY_FROM;
  const sources = new Set([...known.values()].map((row) => sourcesText(row, nameOf(row, names.get(row.src), isRoomy))));
  const isNarrow = width < WHOLE_FROM;
  const time = isNarrow ? 8 : Math.max(isRoomy ? 12 : 8, shortTime(oldest, nowMs).length);
  const source = Math.max(6, widest(sources, 24));
  services.delete('');
  const service = services.size === 0 || !isRoomy ? 0 : Math.max(7, widest(services, 16));
  const renamed = [...names].filter(([src, name]) => name !== hostName(known.get(src) ?? { src }));
  return { time, source, service, state, isNarrow, renamed: JSON.stringify(renamed) };
}

/** Names of the hosts of sources, by id. */
const namesOf = (rows: ReadonlyMap<number, ErrlogEntry>): ReadonlyMap<number, string> =>
  distinctNames([...rows.values()].map((row) => ({ ...row, name: hostName(row) })));

/** The name of a row's source: of its host, and of its service where that has no column of its own. */
const nameOf = (row: ErrlogEntry, host: string | undefined, hasService: boolean): string =>
  hasService ? (host ?? hostName(row)) : sourceName(host === undefined ? row : { ...row, source: host });

/** Width of the widest of some names, at most `max` columns. */
const widest = (names: ReadonlySet<string>, max: number): number =>
  Math.max(0, ...[...names].slice(0, SOURCES_MEASURED).map((name) => Math.min(max, widthOf(clean(name)))));

/** Least width of messages; without a column of services, sources are longer. */
function messageWidth(hasService: boolean, isNarrow: boolean): number {
  if (isNarrow) return 16;
  return hasService ? 36 : 24;
}

export function errlogColumns(
  { time, source, service, state, renamed, isNarrow }: ErrlogWidths,
  nowMs: number,
): Column<ErrlogEntry>[] {
  const names = new Map(JSON.parse(renamed) as [number, string][]);
  return [
    {
      id: 'time',
      title: 'Time',
      width: time,
      pinned: true,
      cell: (row) => ({ text: (isNarrow ? narrowTime : shortTime)(row.log_time, nowMs), tone: 'muted' }),
      value: ({ log_time }) => -log_time,
      text: ({ log_time }) => fullTime(log_time * 1000),
    },
    {
      id: 'level',
      title: 'Level',
      width: 8,
      pinned: true,
      cell: (row) => ({
        text: `${levelGlyph(row.level)} ${levelName(row.level)}`,
        tone: isQuiet(row) ? 'faint' : levelTone(row.level),
      }),
      value: ({ level }) => level,
      text: ({ level }) => levelName(level),
      field: { name: 'level', value: ({ level }) => levelName(level).toLowerCase() },
    },
    {
      id: 'count',
      title: 'Count',
      width: 6,
      align: 'right',
      drop: 1,
      cell: (row) => ({ text: count(row.count), tone: row.count > 1 ? 'plain' : 'faint' }),
      value: (row) => -row.count,
      text: (row) => String(row.count),
    },
    {
      id: 'source',
      title: 'Source',
      width: Math.min(source, service === 0 && !isNarrow ? 16 : 10),
      grow: service === 0 ? 12 : 1,
      max: source,
      drop: 2,
      // A row of several sources has no single name.
      field: { name: 'source', value: ({ sources = 1, source }) => (sources > 1 ? undefined : source) },
      cell: (row) => ({ text: sourcesText(row, nameOf(row, names.get(row.src), service > 0)), tone: 'muted' }),
    },
    ...(service === 0
      ? []
      : [
          {
            id: 'service',
            title: 'Service',
            width: Math.min(service, 8),
            grow: 1,
            max: service,
            drop: 4,
            folds: true as const,
            field: { name: 'service' },
            cell: (row: ErrlogEntry) => ({ text: row.service ?? '', tone: 'muted' as const }),
          },
        ]),
    ...(state === 0
      ? []
      : [
          {
            id: 'state',
            title: 'State',
            width: state,
            drop: 3,
            folds: true as const,
            field: { name: 'state' },
            cell: (row: ErrlogEntry) => stateCell(row.state),
            text: (row: ErrlogEntry) => row.state ?? '',
          },
        ]),
    {
      id: 'message',
      title: 'Message',
      width: messageWidth(service > 0, isNarrow),
      grow: 12,
      searched: true,
      isMessage: true,
      cell: (row) => ({ text: row.log.slice(0, SHOWN_MAX), ...(isQuiet(row) ? { tone: 'muted' as const } : {}) }),
      text: ({ log }) => log,
    },
    {
      id: 'first',
      title: 'First seen',
      width: 12,
      drop: 5,
      optional: true,
      cell: ({ first_seen = 0 }) => ({ text: first_seen === 0 ? '' : shortTime(first_seen, nowMs), tone: 'muted' }),
      text: ({ first_seen = 0 }) => (first_seen === 0 ? '' : fullTime(first_seen * 1000)),
    },
  ];
}
