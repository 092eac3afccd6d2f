// The tiles of the overview. Pure.
import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import type { ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import type { Fleet } from '@quarterdeck/views/agents';
import { facetNames, sourcesText } from '@quarterdeck/views/errlog';
import type { OverviewErrors } from '@quarterdeck/views/overview';
import { hasData, isIncomplete, type Query } from '@quarterdeck/views/reads';
import { age, clean, count, distance, grouped, plural, span } from '@quarterdeck/views/text';
import { rangeText } from '@quarterdeck/views/times';
import { expiringTokens } from '@quarterdeck/views/tokens';
import { barLines } from '../../components/charts/bars.ts';
import { sparkline } from '../../components/charts/sparkline.ts';
import type { Glyphs } from '../../components/glyphs.ts';
import type { Target } from '../../navigation.ts';
import { type Line, spread } from '../../text/lines.ts';
import { cut, fit, width as widthOf } from '../../text/width.ts';
import { levelGlyph } from '../../theme.ts';
import { chartTone, histogramChart, legendLine, levelTotals } from '../errlog/errlog-chart.ts';
import { queryLines } from '../query-lines.ts';
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
  readonly tokens: Query<readonly ApiToken[]> | undefined;
}

const ENDING_DAYS = 30;
/** Most rows of each tile. */
const ENDING_MAX = 10;
const TOP_MAX = 16;
const SOURCES_MAX = 10;
const CHART_ROWS = 12;

type Base = Pick<OverviewTile, 'id' | 'title' | 'target'>;

/** The things that a tile without rows does not have. */
const NONE: Readonly<Record<string, string>> = {
  errors: 'errors',
  levels: 'errors',
  groups: 'open errors or warnings',
  agents: 'agents yet',
  tokens: 'API tokens',
  sources: 'sources of errors',
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
    lines: (width, rows) => histogramChart(histogram, { width, rows, glyphs, isNow: range?.kind !== 'span', nowMs }),
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
        const tone = chartTone(level);
        return [
          { text: `${levelGlyph(level)} ${fit(levelName(level), 6)} `, tone },
          { text: sparkline(values, room, glyphs.spark), tone },
          { text: ` ${fit(count(totals[level] ?? 0), 6, 'right')}` },
          { text: fit(` in ${count(groups)}`, 10), tone: 'muted' },
        ];
      }),
  };
}

/** Width from which all sources of the most frequent errors are named, columns. */
const SOURCES_FROM = 60;
const SOURCES_WIDTH = 20;

/** The error on all of its sources. */
const errorTarget = (row: ErrlogEntry): Target => ({
  screen: 'errlog',
  args: row.fingerprint === undefined ? { src: String(row.src) } : { error: row.fingerprint },
});

function groupLine(row: ErrlogEntry, names: number, isWide: boolean): Line {
  const { sources = 1 } = row;
  const where = isWide || sources > 1 ? clean(sourcesText(row)) : '';
  return [
    { text: `${levelGlyph(row.level)} `, tone: chartTone(row.level) },
    { text: `${fit(count(row.count), 5, 'right')}  ` },
    ...(where === '' ? [] : [{ text: `${isWide ? fit(where, names) : where}  ` }]),
    { text: clean(row.log.slice(0, 400)), tone: 'muted' },
  ];
}

const groupsTile = ({ top, histogram, range }: OverviewErrors): TileContent & Pick<OverviewTile, 'targets'> => ({
  // The title names a range.
  ...(range === null ? { note: `last ${span((histogram.end - histogram.start) * 1000)}` } : {}),
  rows: Math.min(top.length, TOP_MAX),
  targets: top.map(errorTarget),
  lines(width, height) {
    const shown = top.slice(0, height);
    const names = Math.min(SOURCES_WIDTH, Math.max(0, ...shown.map((row) => widthOf(clean(sourcesText(row))))));
    return shown.map((row) => groupLine(row, names, width >= SOURCES_FROM));
  },
});

const sourcesTile = ({ facets }: OverviewErrors): TileContent & Pick<OverviewTile, 'targets'> => ({
  note: 'groups',
  rows: Math.min(facets.sources.length, SOURCES_MAX),
  targets: facets.sources.map(({ src }) => ({ screen: 'errlog', args: { src: String(src) } })),
  lines: (width, height) => {
    const names = facetNames(facets.sources);
    return barLines(
      facets.sources.slice(0, height).map(({ src, count: groups }) => ({
        label: clean(names.get(src) ?? ''),
        value: groups,
        text: grouped(groups),
      })),
      width,
    );
  },
});

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
  { errors, agents, tokens }: OverviewData,
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
  if (errors !== undefined) {
    tiles.push(
      tileOf({ id: 'sources', title: titled('Sources'), target: { screen: 'errlog' } }, errors, nowMs, sourcesTile),
    );
  }
  return tiles;
}
