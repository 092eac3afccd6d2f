// The tiles of the overview. Pure.
import { type ErrlogFacets, levelName } from '@quarterdeck/core';
import type { ApiToken } from '@quarterdeck/sdk';
import { barLines } from '../../components/charts/bars.ts';
import { bucketsIn, histogramLines } from '../../components/charts/histogram.ts';
import { sparkline } from '../../components/charts/sparkline.ts';
import type { Glyphs } from '../../components/glyphs.ts';
import type { OverviewErrors } from '../../data/ahead.ts';
import { sourceName } from '../../data/errlog.ts';
import type { Fleet } from '../../data/fleet.ts';
import { hasData, type Query } from '../../data/query.ts';
import type { Target } from '../../navigation.ts';
import { clean } from '../../text/clean.ts';
import { age, count, distance, grouped, plural, span } from '../../text/format.ts';
import { type Line, spread } from '../../text/lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import { levelGlyph } from '../../theme.ts';
import { axisLine, chartTone, levelTotals, spreadBuckets } from '../errlog/errlog-chart.ts';
import { queryLines } from '../query-lines.ts';
import { agentsTile } from './agents-tile.ts';
import { expiringTokens } from './expiring-tokens.ts';
import type { Tile, TileContent } from './tile.ts';

/** A tile, and the screen that it opens. */
export interface OverviewTile extends Tile {
  readonly target: Target;
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

/** The tile of a query. */
function tileOf<T>(base: Base, query: Query<T>, nowMs: number, content: (data: T) => TileContent): OverviewTile {
  if (!hasData(query))
    return { ...base, stale: false, rows: 1, lines: (width) => queryLines(query, 'Reading…', width) };
  const { note, ...shown } = content(query.data);
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

function errorsTile({ histogram, facets }: OverviewErrors, glyphs: Glyphs): TileContent {
  const spanMs = (histogram.end - histogram.start) * 1000;
  return {
    note: statesText(facets),
    rows: CHART_ROWS,
    lines: (width, height) => {
      const buckets = spreadBuckets(histogram, bucketsIn(width, glyphs.chart));
      const axis = axisLine(histogram, `${span(spanMs)} ago`, 'now', width);
      return [...histogramLines(buckets, width, Math.max(1, height - 1), glyphs.chart), axis];
    },
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

const groupsTile = ({ top }: OverviewErrors): TileContent => ({
  rows: Math.min(top.length, TOP_MAX),
  lines: (_, height) =>
    top.slice(0, height).map(
      (row): Line => [
        {
          text: `${levelGlyph(row.level)} `,
          tone: chartTone(row.level),
        },
        { text: `${fit(count(row.count), 5, 'right')}  ` },
        { text: clean(row.log.slice(0, 400)), tone: 'muted' },
      ],
    ),
});

const sourcesTile = ({ facets }: OverviewErrors): TileContent => ({
  rows: Math.min(facets.sources.length, SOURCES_MAX),
  lines: (width, height) =>
    barLines(
      facets.sources.slice(0, height).map(({ src, name, count: groups }) => ({
        label: clean(sourceName({ src, source: name })),
        value: groups,
        text: grouped(groups),
      })),
      width,
    ),
});

function tokensTile(tokens: readonly ApiToken[], nowMs: number): TileContent {
  const ending = expiringTokens(tokens, nowMs, ENDING_DAYS);
  return {
    note: `${grouped(ending.length)} of ${grouped(tokens.length)}`,
    rows: Math.max(1, Math.min(ending.length, ENDING_MAX)),
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

/** The tiles that this user may see, the most important first. */
export function overviewTiles(
  { errors, agents, tokens }: OverviewData,
  nowMs: number,
  glyphs: Glyphs,
  columns: number,
): OverviewTile[] {
  const tiles: OverviewTile[] = [];
  if (errors !== undefined) {
    tiles.push(
      tileOf({ id: 'errors', title: 'Errors', target: { screen: 'errlog' } }, errors, nowMs, (data) =>
        errorsTile(data, glyphs),
      ),
      ...(columns > 2
        ? [
            tileOf({ id: 'levels', title: 'Levels', target: { screen: 'errlog' } }, errors, nowMs, (data) =>
              levelsTile(data, glyphs),
            ),
          ]
        : []),
      tileOf(
        { id: 'groups', title: 'Most frequent', target: { screen: 'errlog', args: { level: '5', state: 'open' } } },
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
    tiles.push(tileOf({ id: 'sources', title: 'Sources', target: { screen: 'errlog' } }, errors, nowMs, sourcesTile));
  }
  return tiles;
}
