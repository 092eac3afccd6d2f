// The whole system on one screen; each tile opens the screen of its subject.

import { can, contract } from '@quarterdeck/core';
import { subjectOf } from '@quarterdeck/views/actions';
import { outageMessage } from '@quarterdeck/views/agents';
import { firingMessage } from '@quarterdeck/views/alerts';
import { unnamedSource } from '@quarterdeck/views/errlog';
import { readErrors } from '@quarterdeck/views/overview';
import {
  useApiTokens,
  useFiring,
  useFleet,
  useNow,
  useOpenOutage,
  useQuery,
  useSources,
} from '@quarterdeck/views/react';
import { hasData } from '@quarterdeck/views/reads';
import { type ReactElement, use, useCallback, useMemo } from 'react';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import { Notice } from '../../components/notice.tsx';
import { DrawingContext } from '../../components/text.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { removeGlyphs } from '../../text/remove-glyphs.ts';
import { type Line, wrapLine } from '../../theme/lines.ts';
import { overviewBuckets } from '../shared/errlog-chart.ts';
import { useIncomplete } from '../shared/use-incomplete.ts';
import { columnsFor, type Place, placeTiles } from './overview-layout.ts';
import { type OverviewData, overviewTiles } from './overview-tiles.ts';
import { type Tile, type TileFocus, tileRows } from './tile.ts';
import { useTileFocus } from './use-tile-focus.ts';

/** Interval between reads, milliseconds. */
const EVERY_MS = 10_000;

/** Reads the parts of the overview that the user may see. */
function useOverviewData(visible: boolean, buckets: number) {
  const { client, ahead, me, online, range, now } = useDashboard();
  const may = useMemo(() => {
    const subject = subjectOf(me);
    return {
      errors: can(subject, contract.errlog.list.access),
      agents: can(subject, contract.agent.list.access),
      tokens: can(subject, contract.apiToken.list.access),
      sources: can(subject, contract.ledger.list.access),
      alerts: can(subject, contract.alert.instances.access),
    };
  }, [me]);
  const read = useCallback(
    (signal: AbortSignal) =>
      (range === null ? ahead.take('errors', buckets) : undefined) ?? readErrors(client, now(), buckets, range, signal),
    [client, ahead, now, buckets, range],
  );
  const errors = useQuery(read, { enabled: online && visible && may.errors, everyMs: EVERY_MS });
  const agents = useFleet(visible && may.agents);
  const outage = useOpenOutage(visible && may.agents);
  const firing = useFiring(visible && may.alerts);
  const sources = useSources(visible && may.sources);
  const { query, rows, refresh } = useApiTokens(visible && may.tokens);
  const tokens = hasData(query) ? { ...query, data: rows } : query;
  const data: OverviewData = {
    errors: may.errors ? errors.query : undefined,
    agents: may.agents ? agents.query : undefined,
    sources: may.sources
      ? hasData(sources.query)
        ? { ...sources.query, data: sources.rows }
        : sources.query
      : undefined,
    tokens: may.tokens ? tokens : undefined,
  };
  return {
    data,
    outage,
    firing,
    refresh() {
      errors.refresh();
      agents.refresh();
      sources.refresh();
      refresh();
    },
  };
}

/** Columns in which a row of a tile is read as a whole, for screen readers. */
const LINEAR_COLUMNS = 200;
/** Fewest rows that all tiles are given. */
const LINEAR_ROWS_MIN = 8;

/** Places for screen readers: one below the other, as high as their wrapped rows have room. */
function placeLinear(tiles: readonly Tile[], width: number, height: number): Place[] {
  const wants = tiles.map(({ rows }) => rows);
  const columns = width * Math.max(1, Math.ceil(LINEAR_COLUMNS / width));
  for (let rows = height; ; rows -= 1) {
    const places = placeTiles(wants, columns, rows, 1);
    const { length } = linearRows(tiles, places, { tile: 0, row: 0 }, width);
    if (length <= height || rows <= LINEAR_ROWS_MIN) return places;
  }
}

/** The rows of tiles without their frames, wrapped to the width of the screen. */
const linearRows = (tiles: readonly Tile[], places: readonly Place[], focus: TileFocus, width: number): Line[] =>
  tileRows(tiles, places, focus)
    .map((line) => line.map((run) => ({ ...run, text: removeGlyphs(run.text) })))
    .filter((line) => line.some(({ text }) => text.trim() !== ''))
    .flatMap((line) => wrapLine(line, width));

/** The screen; while it is not visible it reads nothing and keeps its data. */
export function OverviewScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { now, glyphs, keyOf } = useDashboard();
  const { data, outage, firing, refresh } = useOverviewData(visible, overviewBuckets(width, glyphs));
  const nowMs = useNow(now, 10_000, visible);
  const read = data.errors !== undefined && hasData(data.errors) ? data.errors.data : undefined;
  const names = data.sources !== undefined && hasData(data.sources) ? data.sources.data : [];
  const incomplete = useIncomplete([read?.histogram.meta, read?.facets.meta], {
    src: undefined,
    nameOf: (src) => names.find(({ id }) => id === src)?.title ?? unnamedSource(src),
    visible,
    nowMs,
  });
  // A screen reader would read across tiles that are side by side.
  const isLinear = use(DrawingContext) === 'words';
  const columns = columnsFor(width);
  const tiles = visible ? overviewTiles(data, nowMs, isLinear ? null : glyphs, columns) : [];
  const wants = tiles.map(({ rows }) => rows);
  const places = isLinear ? placeLinear(tiles, width, height) : placeTiles(wants, width, height, columns);
  const focus = useTileFocus(tiles, places, visible, refresh);
  if (!visible) return null;
  return (
    <ScreenFrame
      chips={[]}
      standing={
        firingMessage(firing, pressTo(keyOf('app.goAlerts'), 'list alerts')) ??
        outageMessage(outage, nowMs) ??
        incomplete
      }
    >
      {tiles.length === 0 ? (
        <Notice
          title="You have no permission to see anything here."
          lines={['Ask an administrator of this server for a role or a token with permissions.']}
          width={width}
          height={height}
        />
      ) : (
        <Lines
          lines={isLinear ? linearRows(tiles, places, focus, width) : tileRows(tiles, places, focus)}
          width={width}
          height={height}
        />
      )}
    </ScreenFrame>
  );
}
