// The tiles of the overview. Pure.
import { levelName } from '@quarterdeck/core';
import type { Agent, ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import { barLines, stackedBar } from '../../components/charts/bars.ts';
import { type Bucket, bucketsIn, histogramLines } from '../../components/charts/histogram.ts';
import type { Glyphs } from '../../components/glyphs.ts';
import { sourceName } from '../../data/errlog.ts';
import { hasData, type Query } from '../../data/query.ts';
import type { Target } from '../../navigation.ts';
import { clean } from '../../text/clean.ts';
import { age, count, distance, grouped, plural } from '../../text/format.ts';
import { fitLine, type Line, spread } from '../../text/lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import { levelGlyph, levelTone } from '../../theme.ts';
import { byLevel, bySource, endingTokens, fleetOf } from './overview-model.ts';
import type { Tile } from './tile.ts';

/** A tile, and where Enter leads from it. */
export interface OverviewTile extends Tile {
  readonly target: Target;
}

/** The errors that the overview is made of. */
export interface Errors {
  readonly rows: readonly ErrlogEntry[];
  readonly total: number;
}

/** What the tiles are made of; absent where the user may not see it. */
export interface OverviewData {
  readonly errors: Query<Errors> | undefined;
  readonly agents: Query<readonly Agent[]> | undefined;
  readonly tokens: Query<readonly ApiToken[]> | undefined;
}

const ENDING_DAYS = 30;
/** So many tokens are named. */
const ENDING_MAX = 20;

/** Nothing yet, or nothing any more, in words. */
function waiting(query: Query<unknown>): Line[] {
  return query.status === 'failed'
    ? [[{ text: query.failure.message, tone: 'bad' }]]
    : [[{ text: 'Reading…', tone: 'muted' }]];
}

type Base = Pick<OverviewTile, 'id' | 'title' | 'target'>;

/** A tile over something that is read. */
function tileOf<T>(
  base: Base,
  query: Query<T>,
  nowMs: number,
  made: (data: T) => { note?: string; lines: OverviewTile['lines'] },
): OverviewTile {
  if (!hasData(query)) return { ...base, stale: false, lines: () => waiting(query) };
  const { note, lines } = made(query.data);
  const stale = query.status === 'stale';
  const said = stale ? `${age((nowMs - query.atMs) / 1000)} old` : note;
  return { ...base, stale, lines, ...(said === undefined ? {} : { note: said }) };
}

/** When the groups last happened, over the time that the rows reach back to. */
export function lastSeenBuckets(rows: readonly ErrlogEntry[], nowMs: number, spanS: number, most: number): Bucket[] {
  const fromS = nowMs / 1000 - spanS;
  const counts = Array.from({ length: most }, () => ({ value: 0, level: 9 }));
  for (const { log_time, level } of rows) {
    const at = Math.floor(((log_time - fromS) / spanS) * most);
    const bucket = counts[Math.min(at, most - 1)];
    if (at < 0 || bucket === undefined) continue;
    bucket.value += 1;
    bucket.level = Math.min(bucket.level, level);
  }
  return counts.map(({ value, level }) => ({
    value,
    tone: levelTone(level) === 'badgeRed' ? 'worst' : levelTone(level),
  }));
}

function axis(spanS: number, width: number): Line {
  return spread([{ text: `${age(spanS)} ago`, tone: 'faint' }], [{ text: 'now', tone: 'faint' }], width);
}

function errorsTile(
  { rows, total }: Errors,
  nowMs: number,
  glyphs: Glyphs,
): { note: string; lines: OverviewTile['lines'] } {
  const oldest = rows.reduce((least, { log_time }) => Math.min(least, log_time), nowMs / 1000);
  // Whole hours look calmer than whatever the oldest row is.
  const spanS = Math.min(86_400, Math.max(3_600, Math.ceil((nowMs / 1000 - oldest) / 3_600) * 3_600));
  const levels = byLevel(rows);
  return {
    note: `${plural(total, 'group')}`,
    lines: (width, height) => {
      const legend = levels.flatMap(({ level, value }) => [
        { text: `${levelGlyph(level)} ${levelName(level)} `, tone: levelTone(level) },
        { text: `${count(value)}   ` },
      ]);
      const chartRows = Math.max(1, height - 2);
      const buckets = lastSeenBuckets(rows, nowMs, spanS, bucketsIn(width, glyphs.chart));
      return [fitLine(legend, width), ...histogramLines(buckets, width, chartRows, glyphs.chart), axis(spanS, width)];
    },
  };
}

function groupsTile({ rows }: Errors): { lines: OverviewTile['lines'] } {
  const top = [...rows].filter(({ level }) => level <= 5).sort((a, b) => b.count - a.count);
  return {
    lines: (width, height) =>
      top.slice(0, height).map(
        (row): Line => [
          {
            text: `${levelGlyph(row.level)} `,
            tone: levelTone(row.level) === 'badgeRed' ? 'worst' : levelTone(row.level),
          },
          { text: `${fit(count(row.count), 5, 'right')}  ` },
          { text: clean(row.log.slice(0, 400)), tone: 'muted' },
          ...(width > 400 ? [{ text: sourceName(row) }] : []),
        ],
      ),
  };
}

const sourcesTile = ({ rows }: Errors): { lines: OverviewTile['lines'] } => ({
  lines: (width, height) =>
    barLines(
      bySource(rows, Math.max(1, height)).map(({ label, value }) => ({
        label: clean(label),
        value,
        text: count(value),
      })),
      width,
    ),
});

function agentsTile(agents: readonly Agent[]): { note: string; lines: OverviewTile['lines'] } {
  const { online, offline, badKernel, versions } = fleetOf(agents);
  const away = agents.filter((agent) => !agent.online);
  return {
    note: plural(agents.length, 'host'),
    lines: (width, height) => [
      stackedBar(
        [
          { value: online, tone: 'good' },
          { value: offline, tone: 'bad' },
        ],
        width,
      ),
      [
        { text: `● ${grouped(online)} online`, tone: 'good' },
        { text: `   ○ ${grouped(offline)} offline`, tone: offline > 0 ? 'bad' : 'faint' },
        ...(badKernel > 0 && width >= 44
          ? [{ text: `   ▲ ${grouped(badKernel)} bad kernel`, tone: 'warning' as const }]
          : []),
      ],
      ...(badKernel > 0 && width < 44
        ? [[{ text: `▲ ${grouped(badKernel)} bad kernel`, tone: 'warning' as const }]]
        : []),
      ...(height > 5
        ? barLines(
            versions
              .slice(0, height - 3)
              .map(({ label, value }) => ({ label, value, text: grouped(value), tone: 'notice' as const })),
            width,
          )
        : []),
      [
        ...(away.length === 0 ? [] : [{ text: 'offline ', tone: 'muted' as const }]),
        { text: away.map(({ hostname }) => clean(hostname)).join(', '), tone: 'plain' },
      ],
    ],
  };
}

function tokensTile(tokens: readonly ApiToken[], nowMs: number): { note: string; lines: OverviewTile['lines'] } {
  const ending = endingTokens(tokens, nowMs, ENDING_DAYS);
  return {
    note: plural(tokens.length, 'token'),
    lines: (width, height) =>
      ending.length === 0
        ? [[{ text: `✓ None ends within ${ENDING_DAYS} days.`, tone: 'good' }]]
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

/** The tiles that this user may see, the most telling first. */
export function overviewTiles({ errors, agents, tokens }: OverviewData, nowMs: number, glyphs: Glyphs): OverviewTile[] {
  const tiles: OverviewTile[] = [];
  if (errors !== undefined) {
    tiles.push(
      tileOf({ id: 'errors', title: 'Errors', target: { screen: 'errlog' } }, errors, nowMs, (data) =>
        errorsTile(data, nowMs, glyphs),
      ),
      tileOf(
        { id: 'groups', title: 'Most frequent', target: { screen: 'errlog', args: { level: '5' } } },
        errors,
        nowMs,
        groupsTile,
      ),
    );
  }
  if (agents !== undefined) {
    tiles.push(tileOf({ id: 'agents', title: 'Agents', target: { screen: 'agents' } }, agents, nowMs, agentsTile));
  }
  if (errors !== undefined) {
    tiles.push(tileOf({ id: 'sources', title: 'Sources', target: { screen: 'errlog' } }, errors, nowMs, sourcesTile));
  }
  if (tokens !== undefined) {
    tiles.push(
      tileOf({ id: 'tokens', title: 'Tokens that end soon', target: { screen: 'apiTokens' } }, tokens, nowMs, (data) =>
        tokensTile(data, nowMs),
      ),
    );
  }
  return tiles;
}
