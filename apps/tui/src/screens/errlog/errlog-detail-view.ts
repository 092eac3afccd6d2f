// The details of an error. Pure.

import { type Line as LogLine, levelName, type Page } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { everOf, sourceName, sourcesText, timesOf } from '@quarterdeck/views/errlog';
import { growShape, NO_SHAPE } from '@quarterdeck/views/lines';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { age, clean, fullTime, grouped, plural, shortTime } from '@quarterdeck/views/text';
import { type Fact, factLines, heading, paragraph, queryLines } from '../../components/list/detail-lines.ts';
import { headerLine, layOutTable, rowLine } from '../../components/list/table-lines.ts';
import { cut, fit, width as widthOf } from '../../text/width.ts';
import { type Line, lineWidth, type Run, sliceLine } from '../../theme/lines.ts';
import { messageLines } from '../../theme/message-runs.ts';
import { levelGlyph } from '../../theme/theme.ts';
import { ago, timeAgo } from '../list/moments.ts';
import { groupColumns, lineWidths } from '../shared/line-columns.ts';
import { stateCell } from './errlog-columns.ts';

/** Lines shown in the details of an error. */
const SHOWN = 6;

interface GroupLinesContext {
  /** Key that opens all lines. */
  readonly openKey: string | undefined;
  readonly nowMs: number;
  readonly width: number;
}

/** The table of the newest lines and a blank row; only the blank row for an error without stored lines. */
function groupLines(
  query: Query<readonly LogLine[]>,
  count: number,
  { openKey, nowMs, width }: GroupLinesContext,
): Line[] {
  if (!hasData(query)) {
    // As many rows as the lines will take, so that the facts below them stay in place.
    const blank = Array.from({ length: Math.min(SHOWN, count) + 1 }, (): Line => []);
    return [...queryLines(query, 'Reading the lines…', width), ...blank];
  }
  const lines = query.data;
  const oldest = lines.at(-1);
  if (oldest === undefined) return [[]];
  const columns = groupColumns(lineWidths(growShape(NO_SHAPE, lines), oldest.time, nowMs), nowMs);
  const table = layOutTable(columns, lines, width, 0);
  const look = { selected: false, marked: false, find: undefined, findsAll: false };
  const more = openKey === undefined ? '' : `${openKey} shows all lines of the error.`;
  return [
    headerLine(table, [], null),
    ...lines.slice(0, SHOWN).map((line) => rowLine(table, line, look)),
    [{ text: more, tone: 'muted' }],
    [],
  ];
}

/** Width of the times, columns. */
const TIME = 12;

/** The sources as rows, the most frequent first; none before they are read. */
function errorSourceLines(groups: Page<ErrlogEntry> | undefined, nowMs: number, width: number): Line[] {
  if (groups === undefined || groups.data.length < 2) return [];
  const { data, meta } = groups;
  // A range changes the order of the server, which is by all occurrences.
  const rows = data
    .toSorted((a, b) => timesOf(b) - timesOf(a))
    .map((row) => ({
      name: clean(sourceName(row)),
      times: grouped(timesOf(row)),
      last: shortTime(row.log_time, nowMs),
    }));
  const counts = Math.max(...rows.map(({ times }) => times.length));
  const names = Math.min(Math.max(...rows.map(({ name }) => widthOf(name))), width - counts - TIME - 4);
  return [
    [],
    heading(`On ${grouped(Math.max(meta.count, data.length))} sources`),
    ...rows.map(
      ({ name, times, last }): Line => [
        { text: `${fit(name, names)}  ` },
        { text: fit(times, counts, 'right') },
        { text: `  ${last}`, tone: 'muted' },
      ],
    ),
    ...(meta.count > data.length
      ? [[{ text: `and ${grouped(meta.count - data.length)} more`, tone: 'muted' as const }]]
      : []),
  ];
}

const NODE_TYPES = ['global', 'admin site', 'log server'];

const timesText = (n: number): string => plural(n, 'time');

/** Everything besides the entry that its details show. */
export interface ErrlogDetailContext {
  readonly lines: Query<readonly LogLine[]>;
  /** The groups of its error; absent unless the entry stands for several sources. */
  readonly groups?: Page<ErrlogEntry> | undefined;
  /** Key that opens all lines. */
  readonly openKey: string | undefined;
  readonly nowMs: number;
  /** The range of the counts: `in the last 2h`; empty for all times. */
  readonly range: string;
  readonly width: number;
}

/** The facts of an entry besides its message. */
function errlogFacts(
  entry: ErrlogEntry,
  { nowMs, range }: Pick<ErrlogDetailContext, 'nowMs' | 'range'>,
): (Fact | null)[] {
  const { count: ever, log_time } = everOf(entry) ?? entry;
  const { first_seen, state, state_since: since, until = '', app_id, node_type, node_id, sources } = entry;
  const times = `${timesText(ever)}${range === '' ? '' : ' ever'}`;
  // Of a node and an application only what a sender named is worth a word: 0 is the default of both.
  const node = node_type === undefined || node_type === 0 ? [] : [NODE_TYPES[node_type] ?? `type ${node_type}`];
  if (node_id !== undefined && node_id !== null && node_id !== 0) node.push(`node ${node_id}`);
  if (app_id !== undefined && app_id !== 0) node.push(`app ${app_id}`);
  const { text, tone } = stateCell(state);
  return [
    state === undefined
      ? null
      : {
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
    range === ''
      ? null
      : {
          label: 'In range',
          value: `${timesText(entry.count)} ${range}, last at ${fullTime(entry.log_time * 1000)}`,
        },
    { label: 'Happened', value: sources === undefined || sources < 2 ? times : `${times}, on ${sources} sources` },
    { label: 'Last seen', value: timeAgo(log_time, nowMs) },
    first_seen === undefined ? null : { label: 'First seen', value: timeAgo(first_seen, nowMs) },
    { label: 'Source', value: clean([sourcesText(entry), ...node].join(' · ')) },
    entry.service === undefined || entry.service === '' ? null : { label: 'Service', value: clean(entry.service) },
  ];
}

/** The most important facts of an entry in one row. */
function summaryLine(entry: ErrlogEntry, { nowMs, range }: Pick<ErrlogDetailContext, 'nowMs' | 'range'>): Line {
  const { state, count: times, sources = 1, app_id: app = 0, first_seen: first } = entry;
  const { text, tone } = stateCell(state);
  const facts = [
    `${timesText(times)}${range === '' ? '' : ` ${range}`}${sources < 2 ? '' : ` on ${grouped(sources)} sources`}`,
    ...(first === undefined ? [] : [`first seen ${ago(first, nowMs)}`]),
    ...(sources < 2 ? [clean(sourcesText(entry))] : []),
    ...(app === 0 ? [] : [`app ${app}`]),
  ];
  const rest: Run = { text: facts.join(' · '), tone: 'muted' };
  return text === '' ? [rest] : [{ text: `${text} · `, tone }, rest];
}

/** Rows of the message and of the note above the lines, so that four lines fit on a screen of 24 rows. */
const MESSAGE_ROWS = 3;
const NOTE_ROWS = 1;

/** The first rows of a text; the last one shows that there is more. */
function firstRows(lines: readonly Line[], most: number): readonly Line[] {
  const last = lines[most - 1];
  if (lines.length <= most || last === undefined) return lines;
  const columns = Math.max(1, lineWidth(last) - 1);
  return [...lines.slice(0, most - 1), [...sliceLine(last, 0, columns), { text: '…', tone: 'muted' }]];
}

/** The details: message, note, summary, the newest lines with differing fields, facts, and the parts cut above. */
export function errlogLines(entry: ErrlogEntry, context: ErrlogDetailContext): Line[] {
  const { lines, groups, nowMs, width } = context;
  const { note = '' } = entry;
  const message = messageLines(entry.log, width);
  const notes = note === '' ? [] : paragraph(`Note: ${note}`, width, 'accent');
  const fields = hasData(lines) ? Object.entries(lines.data[0]?.fields ?? {}) : [];
  return [
    ...firstRows(message, MESSAGE_ROWS),
    ...firstRows(notes, NOTE_ROWS),
    summaryLine(entry, context),
    ...groupLines(lines, entry.count, context),
    ...factLines(errlogFacts(entry, context), width),
    ...errorSourceLines(groups, nowMs, width),
    ...(fields.length === 0
      ? []
      : [
          [],
          heading('Fields of the newest line'),
          ...factLines(
            fields.map(([label, value]) => ({ label: cut(clean(label), 20), value: clean(value) })),
            width,
          ),
        ]),
    ...(notes.length > NOTE_ROWS ? [[], ...notes] : []),
    ...(message.length > MESSAGE_ROWS ? [[], heading('Message'), ...message] : []),
  ];
}

export const errlogTitle = ({ id, level }: ErrlogEntry): string => `${levelGlyph(level)} ${levelName(level)} ${id}`;
