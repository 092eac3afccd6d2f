// The tiles of the overview. Pure.
import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import type { ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import type { Fleet } from '@quarterdeck/views/agents';
import { sourceName, sourcesText } from '@quarterdeck/views/errlog';
import type { OverviewErrors } from '@quarterdeck/views/overview';
import { hasData, isIncomplete, type Query } from '@quarterdeck/views/reads';
import { rateText, type SourceRow } from '@quarterdeck/views/sources';
import { age, clean, count, distance, grouped, plural, span } from '@quarterdeck/views/text';
import { rangeText } from '@quarterdeck/views/times';
import { expiringTokens } from '@quarterdeck/views/tokens';
import type { Target } from '../../commands/navigation.ts';
import { sparkline } from '../../components/charts/sparkline.ts';
import { queryLines } from '../../components/list/detail-lines.ts';
import { cut, fit, width as widthOf } from '../../text/width.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import { type Line, spread } from '../../theme/lines.ts';
import { sharedWords } from '../../theme/message-runs.ts';
import { levelGlyph, levelTone } from '../../theme/theme.ts';
import { chartTone, histogramChart, legendLine, levelTotals } from '../shared/errlog-chart.ts';
import { agentsTile } from './agents-tile.ts';
import type { Tile, TileContent } from './tile.ts';

/** A tile, and the screen that it opens. */
export interface OverviewTile extends Tile {
  readonly target: Target;
  /** The screens that its rows open, from the first row; absent where rows open the same as the tile. */
  readonly targets?: readonly Target[];
}

/** The data of the tiles; undefined without permission. */
export interface OverviewData {
  readonly errors: Query<OverviewErrors> | undefined;
  readonly agents: Query<Fleet> | undefined;
  readonly sources: Query<readonly SourceRow[]> | undefined;
  readonly tokens: Query<readonly ApiToken[]> | undefined;
}

const ENDING_DAYS = 30;
/** Most rows of each tile. */
const ENDING_MAX = 10;
const TOP_MAX = 16;
const SOURCES_MAX = 10;
const RATE_WIDTH = 9;
const LOST_WIDTH = 10;
const CHART_ROWS = 12;
/** Longest part of a message that a row uses, characters. */
const SHOWN_MAX = 400;

type Base = Pick<OverviewTile, 'id' | 'title' | 'target'>;

/** The things that a tile without rows does not have. */
const NONE: Readonly<Record<string, string>> = {
  errors: 'errors',
  levels: 'errors',
  groups: 'open errors or warnings',
  agents: 'agents yet',
  tokens: 'API tokens',
  sources: 'sources',
};

/** The tile of a query. */
function tileOf<T>(
  base: Base,
  query: Query<T>,
  nowMs: number,
  content: (data: T) => TileContent & Pick<OverviewTile, 'targets'>,
): OverviewTile {
  if (!hasData(query))
    return { ...base, stale: false, rows: 1, lines: (width) => queryLines(query, 'Reading…', width) };
  const { note, ...filled } = content(query.data);
  const none: Line = [{ text: `No ${NONE[base.id]}.`, tone: 'muted' }];
  const shown = filled.rows === 0 ? { rows: 1, lines: () => [none] } : filled;
  const stale = query.status === 'stale';
  const shownNote = stale ? `${age((nowMs - query.atMs) / 1000)} old` : note;
  return { ...base, ...shown, stale, ...(shownNote === undefined ? {} : { note: shownNote }) };
}

/** The number of groups, of new ones and of regressed ones. */
function statesText({ states }: ErrlogFacets): string {
  const of = (state: string): number => states.find((one) => one.state === state)?.count ?? 0;
  const total = states.reduce((sum, { count: n }) => sum + n, 0);
  const regressed = of('regressed');
  return `${plural(total, 'group')} · ${grouped(of('new'))} new${regressed > 0 ? ` · ${grouped(regressed)} regressed` : ''}`;
}

function errorsTile({ histogram, facets, range }: OverviewErrors, glyphs: Glyphs | null, nowMs: number): TileContent {
  const note = `${isIncomplete([histogram.meta, facets.meta]) ? '▲ incomplete · ' : ''}${statesText(facets)}`;
  if (facets.levels.length === 0 && range === null) {
    const text = 'No errors. Open this tile to see how to send the first one.';
    return { note, rows: 1, lines: (width) => [[{ text: cut(text, width), tone: 'muted' }]] };
  }
  const isEmpty = facets.levels.length === 0;
  if (glyphs === null) return { note, rows: isEmpty ? 0 : 1, lines: (width) => [legendLine(histogram, width, nowMs)] };
  return {
    note,
    rows: isEmpty ? 0 : CHART_ROWS,
    lines: (width, rows) =>
      histogramChart(histogram, { width, rows, glyphs, isNow: range?.kind !== 'span', fits: range === null, nowMs }),
  };
}

function levelsTile({ histogram, facets }: OverviewErrors, glyphs: Glyphs): TileContent {
  const totals = levelTotals(histogram);
  return {
    rows: facets.levels.length,
    lines: (width, height) =>
      facets.levels.slice(0, height).map(({ level, count: groups }): Line => {
        const values = histogram.buckets.map(({ levels }) => levels[level] ?? 0);
        const room = Math.max(4, width - 8 - 8 - 14);
        return [
          { text: `${levelGlyph(level)} ${fit(levelName(level), 6)} `, tone: levelTone(level) },
          { text: sparkline(values, room, glyphs.spark), tone: chartTone(level) },
          { text: ` ${fit(count(totals[level] ?? 0), 6, 'right')}` },
          { text: fit(` in ${count(groups)}`, 10), tone: 'muted' },
        ];
      }),
  };
}

/** Widest names of the places of the most frequent errors, and the width of a tile from which they have more room. */
const PLACE_WIDTH = { narrow: 9, wide: 20 };
const WIDE_FROM = 60;

/** The error on all of its sources. */
const errorTarget = (row: ErrlogEntry): Target => ({
  screen: 'errlog',
  args: row.fingerprint === undefined ? { src: String(row.src) } : { error: row.fingerprint },
});

/** The place of an error: its service and the number of its sources, or its only source. */
function placeOf(row: ErrlogEntry): { readonly place: string; readonly times: string } {
  const { service = '', sources = 1 } = row;
  if (sources < 2) return { place: clean(sourceName(row)), times: '' };
  return service === ''
    ? { place: clean(sourcesText(row)), times: '' }
    : { place: clean(service), times: `×${count(sources)}` };
}

/** The most frequent errors: where they happen in columns, then the words that all occurrences share. */
function groupLines(rows: readonly ErrlogEntry[], width: number): Line[] {
  const places = rows.map(placeOf);
  const widest = (names: readonly string[]): number => Math.max(0, ...names.map(widthOf));
  const most = width >= WIDE_FROM ? PLACE_WIDTH.wide : PLACE_WIDTH.narrow;
  const names = Math.min(most, widest(places.map(({ place }) => place)));
  const times = widest(places.map((one) => one.times));
  return rows.map((row, index) => [
    { text: `${levelGlyph(row.level)} `, tone: levelTone(row.level) },
    { text: `${fit(count(row.count), 5, 'right')}  ` },
    { text: `${fit(places[index]?.place ?? '', names)} `, tone: 'muted' },
    { text: times === 0 ? ' ' : `${fit(places[index]?.times ?? '', times)}  `, tone: 'muted' },
    ...sharedWords(clean(row.log.slice(0, SHOWN_MAX))),
  ]);
}

const groupsTile = ({ top, histogram, range }: OverviewErrors): TileContent & Pick<OverviewTile, 'targets'> => ({
  // The title names a range.
  ...(range === null ? { note: `last ${span((histogram.end - histogram.start) * 1000)}` } : {}),
  rows: Math.min(top.length, TOP_MAX),
  targets: top.map(errorTarget),
  lines(width, height) {
    return groupLines(top.slice(0, height), width);
  },
});

/** Columns of the chart of a source, at most. */
const SPARK_MAX = 40;

/** The sources that lose lines first, then the busiest. */
const bySource = (a: SourceRow, b: SourceRow): number => b.lost - a.lost || b.rate - a.rate || b.lines - a.lines;

function sourcesTile(all: readonly SourceRow[], glyphs: Glyphs | null): TileContent & Pick<OverviewTile, 'targets'> {
  const sources = all.toSorted(bySource);
  const lost = sources.reduce((sum, row) => sum + row.lost, 0);
  return {
    note: lost === 0 ? 'last 1h' : `▲ ${plural(lost, 'line')} lost · last 1h`,
    rows: Math.min(sources.length, SOURCES_MAX),
    targets: sources.map(({ id, lost: n }) =>
      n > 0 ? { screen: 'sources', args: { id: String(id) } } : { screen: 'errlog', args: { src: String(id) } },
    ),
    lines(width, height) {
      const shown = sources.slice(0, height);
      const names = Math.min(Math.floor(width / 2), Math.max(0, ...shown.map(({ title }) => widthOf(clean(title)))));
      const room = Math.min(SPARK_MAX, width - names - RATE_WIDTH - LOST_WIDTH - 2);
      return shown.map(
        ({ title, minutes, lost: n, ...row }): Line => [
          { text: `${fit(clean(title), names)} ` },
          { text: room < 4 || glyphs === null ? '' : sparkline(minutes, room, glyphs.spark), tone: 'accent' },
          { text: fit(rateText(row), RATE_WIDTH, 'right'), tone: row.rate === 0 ? 'muted' : 'plain' },
          { text: n === 0 ? '' : ` ${fit(`${count(n)} lost`, LOST_WIDTH)}`, tone: 'warning' },
        ],
      );
    },
  };
}

function tokensTile(tokens: readonly ApiToken[], nowMs: number): TileContent {
  const ending = expiringTokens(tokens, nowMs, ENDING_DAYS);
  return {
    note: `${grouped(ending.length)} of ${grouped(tokens.length)}`,
    rows: tokens.length === 0 ? 0 : Math.max(1, Math.min(ending.length, ENDING_MAX)),
    lines: (width, height) =>
      ending.length === 0
        ? [[{ text: `✓ None expire within ${ENDING_DAYS} days.`, tone: 'good' }]]
        : ending.slice(0, Math.min(height, ENDING_MAX)).map((token): Line => {
            const over = token.expire <= nowMs;
            const when = `${over ? 'expired ' : ''}${distance(token.expire, nowMs)}`;
            return spread(
              [
                { text: over ? '✖ ' : '▲ ', tone: over ? 'bad' : 'warning' },
                { text: clean(token.name) || '(no name)' },
              ],
              [{ text: ` ${when}`, tone: over ? 'bad' : 'muted' }],
              Math.max(widthOf(when) + 6, width),
            );
          }),
  };
}

/** The tiles that this user may see, the most important first. Without glyphs, charts are words. */
export function overviewTiles(
  { errors, agents, sources, tokens }: OverviewData,
  nowMs: number,
  glyphs: Glyphs | null,
  columns: number,
): OverviewTile[] {
  const tiles: OverviewTile[] = [];
  const range = errors !== undefined && hasData(errors) ? errors.data.range : null;
  const titled = (title: string): string => (range === null ? title : `${title} · ${rangeText(range, nowMs)}`);
  if (errors !== undefined) {
    tiles.push(
      tileOf({ id: 'errors', title: titled('Errors'), target: { screen: 'errlog' } }, errors, nowMs, (data) =>
        errorsTile(data, glyphs, nowMs),
      ),
      ...(columns > 2 && glyphs !== null
        ? [
            tileOf({ id: 'levels', title: titled('Levels'), target: { screen: 'errlog' } }, errors, nowMs, (data) =>
              levelsTile(data, glyphs),
            ),
          ]
        : []),
      tileOf(
        {
          id: 'groups',
          title: titled('Most frequent'),
          target: { screen: 'errlog', args: { level: '5', state: 'open' } },
        },
        errors,
        nowMs,
        groupsTile,
      ),
    );
  }
  if (agents !== undefined) {
    tiles.push(
      tileOf({ id: 'agents', title: 'Agents', target: { screen: 'agents' } }, agents, nowMs, (data) =>
        agentsTile(data, nowMs),
      ),
    );
  }
  if (tokens !== undefined) {
    tiles.push(
      tileOf({ id: 'tokens', title: 'Expiring tokens', target: { screen: 'apiTokens' } }, tokens, nowMs, (data) =>
        tokensTile(data, nowMs),
      ),
    );
  }
  if (sources !== undefined) {
    tiles.push(
      tileOf({ id: 'sources', title: 'Sources', target: { screen: 'sources' } }, sources, nowMs, (rows) =>
        sourcesTile(rows, glyphs),
      ),
    );
  }
  return tiles;
}
