// Columns, details and chips of the error log. Pure.
import { type ErrlogOccurrence, levelName } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import type { Column } from '../../components/list/column.ts';
import { type Fact, factLines, heading, paragraph } from '../../components/list/detail-lines.ts';
import { describeFilter, sourceName } from '../../data/errlog.ts';
import { clean } from '../../text/clean.ts';
import { age, count, fullTime, grouped, shortTime } from '../../text/format.ts';
import type { Line, Run } from '../../text/lines.ts';
import { cut, fit, width as widthOf } from '../../text/width.ts';
import { type BaseTone, levelGlyph, levelTone } from '../../theme.ts';
import { type ErrlogState, isFollowing } from './errlog-state.ts';
import { ERROR_LEVEL, WARN_LEVEL } from './levels.ts';

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
  new: '◆',
  ongoing: '●',
  regressed: '▲',
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
/** Names measured; with more, the column is wide anyway. */
const SOURCES_MEASURED = 200;

/** Widths of some columns. */
export interface ErrlogWidths {
  readonly time: number;
  readonly source: number;
  /** 0 where no row has a service. */
  readonly service: number;
  /** 0 where no row has a state. */
  readonly state: number;
}

/** Measures the loaded rows. */
export function errlogWidths(rows: Iterable<ErrlogEntry>, nowMs: number, width: number): ErrlogWidths {
  // Ten thousand rows ten times a second: only the widest candidates are measured.
  let oldest = nowMs / 1000;
  let state = 0;
  const sources = new Set<string>();
  const services = new Set<string>();
  for (const row of rows) {
    oldest = Math.min(oldest, row.log_time);
    state = row.state === undefined ? state : 11;
    sources.add(sourceName(row));
    services.add(row.service ?? '');
  }
  const time = Math.max(width >= ROOMY_FROM ? 12 : 8, shortTime(oldest, nowMs).length);
  const source = Math.max(6, widest(sources, 24));
  services.delete('');
  const service = services.size === 0 ? 0 : Math.max(7, widest(services, 16));
  return { time, source, service, state };
}

/** Width of the widest of some names, at most `max` columns. */
const widest = (names: ReadonlySet<string>, max: number): number =>
  Math.max(0, ...[...names].slice(0, SOURCES_MEASURED).map((name) => Math.min(max, widthOf(clean(name)))));

/** The columns of the list. */
export function errlogColumns({ time, source, service, state }: ErrlogWidths, nowMs: number): Column<ErrlogEntry>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      width: time,
      pinned: true,
      cell: (row) => ({ text: shortTime(row.log_time, nowMs), tone: 'muted' }),
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
      width: Math.min(source, 10),
      grow: 1,
      max: source,
      drop: 2,
      cell: (row) => ({ text: sourceName(row), tone: 'muted' }),
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
            cell: (row: ErrlogEntry) => stateCell(row.state),
            text: (row: ErrlogEntry) => row.state ?? '',
          },
        ]),
    {
      id: 'message',
      title: 'Message',
      width: 36,
      grow: 12,
      searched: true,
      cell: (row) => ({ text: row.log.slice(0, SHOWN_MAX), ...(isQuiet(row) ? { tone: 'muted' as const } : {}) }),
      text: ({ log }) => log,
    },
  ];
}

const ago = (unixS: number, nowMs: number): string => `${age(nowMs / 1000 - unixS)} ago`;
const NODE_TYPES = ['global', 'admin site', 'log server'];

/** The facts of an entry besides its message. */
function errlogFacts(entry: ErrlogEntry, nowMs: number): Fact[] {
  const { log_time, first_seen, state, state_since: since, until = '', app_id, node_type, node_id, sources } = entry;
  const times = `${grouped(entry.count)} ${entry.count === 1 ? 'time' : 'times'}`;
  const node = node_type === undefined ? [] : [NODE_TYPES[node_type] ?? `type ${node_type}`];
  if (node_id !== undefined && node_id !== null) node.push(`node ${node_id}`);
  if (app_id !== undefined) node.push(`app ${app_id}`);
  const { text, tone } = stateCell(state);
  return [
    ...(state === undefined
      ? []
      : [
          {
            label: 'State',
            value: clean(
              [
                text,
                ...(since === undefined || since === 0 ? [] : [`for ${age(nowMs / 1000 - since)}`]),
                ...(until === '' ? [] : [`until ${until}`]),
              ].join(', '),
            ),
            tone,
          },
        ]),
    { label: 'Happened', value: sources === undefined || sources < 2 ? times : `${times}, on ${sources} sources` },
    { label: 'Last seen', value: `${fullTime(log_time * 1000)} (${ago(log_time, nowMs)})` },
    ...(first_seen === undefined
      ? []
      : [{ label: 'First seen', value: `${fullTime(first_seen * 1000)} (${ago(first_seen, nowMs)})` }]),
    { label: 'Source', value: clean([sourceName(entry), ...node].join(' · ')) },
    ...(entry.service === undefined || entry.service === '' ? [] : [{ label: 'Service', value: clean(entry.service) }]),
  ];
}

/** One occurrence in a row. */
const occurrenceLine = ({ time, count: n, req_id: request }: ErrlogOccurrence, nowMs: number): Line => [
  { text: `${fit(shortTime(time, nowMs), 12)}  `, tone: 'muted' },
  { text: fit(n > 1 ? `x${count(n)}` : '', 6) },
  { text: clean(request), tone: 'muted' },
];

/** The details: the message, then note, facts, fields and occurrences. */
export function errlogLines(
  entry: ErrlogEntry,
  occurrences: readonly ErrlogOccurrence[],
  nowMs: number,
  width: number,
): Line[] {
  const { note = '' } = entry;
  const fields = Object.entries(occurrences[0]?.fields ?? {});
  return [
    ...paragraph(entry.log, width),
    [],
    ...(note === '' ? [] : [...paragraph(`Note: ${note}`, width, 'accent'), []]),
    ...factLines(errlogFacts(entry, nowMs), width),
    ...(fields.length === 0
      ? []
      : [
          [],
          heading('Fields of the latest occurrence'),
          ...factLines(
            fields.map(([label, value]) => ({ label: cut(clean(label), 20), value: clean(value) })),
            width,
          ),
        ]),
    ...(occurrences.length === 0
      ? []
      : [[], heading('Occurrences'), ...occurrences.map((occurrence) => occurrenceLine(occurrence, nowMs))]),
  ];
}

/** The title of the details. */
export const errlogTitle = ({ id, level }: ErrlogEntry): string => `${levelGlyph(level)} ${levelName(level)} ${id}`;

/** New groups, filters and position, the most important first. */
export function errlogChips(state: ErrlogState, index: number, marked: number): Run[] {
  const chips: Run[] = [];
  const fresh = state.waiting.size;
  if (fresh > 0) chips.push({ text: `${grouped(fresh)}${state.missed ? '+' : ''} new`, tone: 'badgeBlue' });
  if (state.paused) chips.push({ text: 'paused', tone: 'warning' });
  else if (isFollowing(state)) chips.push({ text: 'following', tone: 'good' });
  if (marked > 0) chips.push({ text: `${grouped(marked)} marked`, tone: 'accent' });
  const { q } = state.filter;
  if (q !== undefined) chips.push({ text: `/${clean(q)}`, tone: 'notice' });
  const nameOf = (src: number): string => {
    for (const row of state.rows.values()) if (row.src === src) return sourceName(row);
    return `#${src}`;
  };
  for (const words of describeFilter(state.filter, nameOf)) chips.push({ text: `[${words}]`, tone: 'notice' });
  if (state.total !== null && state.order.length > 0) {
    const total = Math.max(state.total, state.order.length);
    chips.push({ text: `${grouped(index + 1)} of ${grouped(total)}`, tone: 'muted' });
  }
  return chips;
}
