// The error log in words: columns, facts, chips. Pure.
import { levelName } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import type { Fact } from '../../components/detail-pane.tsx';
import type { Column } from '../../components/table/table.tsx';
import type { Run } from '../../components/text.tsx';
import { clean } from '../../text/clean.ts';
import { age, count, fullTime, grouped, shortTime } from '../../text/format.ts';
import { width as widthOf } from '../../text/width.ts';
import { levelTone } from '../../theme.ts';
import { type ErrlogState, isFollowing } from './errlog-state.ts';
import { levelFilterText } from './levels.ts';

/** No row shows more of a message than this; the rest need not be looked at for a list. */
const SHOWN_MAX = 1_000;

/** Where an entry came from. */
export function sourceName({ source, src }: ErrlogEntry): string {
  if (source !== undefined && source !== '') return source;
  return src === 0 ? 'this server' : `#${src}`;
}

/** The columns of the list, wide enough for the rows that are loaded. */
export function errlogColumns(rows: Iterable<ErrlogEntry>, nowMs: number): Column<ErrlogEntry>[] {
  let time = 8;
  let source = 6;
  for (const row of rows) {
    time = Math.max(time, shortTime(row.log_time, nowMs).length);
    source = Math.max(source, Math.min(24, widthOf(clean(sourceName(row)))));
  }
  return [
    { title: 'Time', width: time, cell: (row) => ({ text: shortTime(row.log_time, nowMs), tone: 'muted' }) },
    { title: 'Level', width: 6, cell: (row) => ({ text: levelName(row.level), tone: levelTone(row.level) }) },
    {
      title: 'Count',
      width: 5,
      align: 'right',
      drop: 1,
      cell: (row) => ({ text: count(row.count), tone: row.count > 1 ? 'plain' : 'muted' }),
    },
    {
      title: 'Source',
      width: Math.min(source, 12),
      grow: 1,
      max: source,
      drop: 2,
      cell: (row) => ({ text: sourceName(row), tone: 'muted' }),
    },
    { title: 'Message', width: 24, grow: 8, cell: (row) => ({ text: row.log.slice(0, SHOWN_MAX) }) },
  ];
}

const ago = (unixS: number, nowMs: number): string => `${age(nowMs / 1000 - unixS)} ago`;
const NODE_TYPES = ['global', 'admin site', 'log server'];

/** What is known of an entry besides its text. */
export function errlogFacts(entry: ErrlogEntry, nowMs: number): Fact[] {
  const { log_time, first_seen, state, app_id, node_type, node_id } = entry;
  const times = `${grouped(entry.count)} ${entry.count === 1 ? 'time' : 'times'}`;
  const node = node_type === undefined ? [] : [NODE_TYPES[node_type] ?? `type ${node_type}`];
  if (node_id !== undefined && node_id !== null) node.push(`node ${node_id}`);
  if (app_id !== undefined) node.push(`app ${app_id}`);
  return [
    { label: 'Happened', value: state === undefined ? times : `${times} · ${state}` },
    { label: 'Last', value: `${fullTime(log_time * 1000)} (${ago(log_time, nowMs)})` },
    ...(first_seen === undefined
      ? []
      : [{ label: 'First', value: `${fullTime(first_seen * 1000)} (${ago(first_seen, nowMs)})` }]),
    { label: 'Source', value: clean([sourceName(entry), ...node].join(' · ')) },
  ];
}

/** What is new, what narrows the list, and where the selection is; the most telling first. */
export function errlogChips(state: ErrlogState, index: number): Run[] {
  const chips: Run[] = [];
  const fresh = state.waiting.size;
  if (fresh > 0) chips.push({ text: `${grouped(fresh)}${state.missed ? '+' : ''} new`, tone: 'accent' });
  if (state.paused) chips.push({ text: 'paused', tone: 'warning' });
  else if (isFollowing(state)) chips.push({ text: 'following', tone: 'good' });
  const filter = levelFilterText(state.levelMax);
  if (filter !== undefined) chips.push({ text: `[${filter}]`, tone: 'notice' });
  if (state.total !== null && state.order.length > 0) {
    const total = Math.max(state.total, state.order.length);
    chips.push({ text: `${grouped(index + 1)} of ${grouped(total)}`, tone: 'muted' });
  }
  return chips;
}
