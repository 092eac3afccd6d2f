// The whole system on one screen; each tile opens the screen of its subject.
import { can, contract } from '@quarterdeck/core';
import { type ReactElement, use, useCallback, useMemo, useState } from 'react';
import { BODY_TOP } from '../../components/frame/geometry.ts';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import { Notice } from '../../components/notice.tsx';
import { DrawingContext } from '../../components/text.tsx';
import { useApiTokens } from '../../data/api-tokens.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { outageMessage } from '../../data/outage-message.ts';
import { useOpenOutage } from '../../data/outages.ts';
import { hasData } from '../../data/query.ts';
import { subjectOf } from '../../data/session.ts';
import { useFleet } from '../../data/use-fleet.ts';
import { useNow } from '../../data/use-now.ts';
import { useQuery } from '../../data/use-query.ts';
import { useCommands } from '../../keys/use-commands.ts';
import type { Mouse } from '../../terminal/index.ts';
import { columnsFor, type Place, placeAt, placeTiles } from './overview-layout.ts';
import { overviewBuckets, readErrors } from './overview-read.ts';
import { type OverviewData, type OverviewTile, overviewTiles } from './overview-tiles.ts';
import { tileRows } from './tile.ts';

/** Interval between reads, milliseconds. */
const EVERY_MS = 10_000;

/** Reads the parts of the overview that the user may see. */
function useOverviewData(visible: boolean, buckets: number) {
  const { client, ahead, me, online, now } = useDashboard();
  const may = useMemo(() => {
    const subject = subjectOf({ me });
    return {
      errors: can(subject, contract.errlog.list.access),
      agents: can(subject, contract.agent.list.access),
      tokens: can(subject, contract.apiToken.list.access),
    };
  }, [me]);
  const read = useCallback(
    (signal: AbortSignal) => ahead.take('errors', buckets) ?? readErrors(client, now(), buckets, signal),
    [client, ahead, now, buckets],
  );
  const errors = useQuery(read, { enabled: online && visible && may.errors, everyMs: EVERY_MS });
  const agents = useFleet(visible && may.agents);
  const outage = useOpenOutage(visible && may.agents);
  const { query, rows, refresh } = useApiTokens(visible && may.tokens);
  const tokens = hasData(query) ? { ...query, data: rows } : query;
  const data: OverviewData = {
    errors: may.errors ? errors.query : undefined,
    agents: may.agents ? agents.query : undefined,
    tokens: may.tokens ? tokens : undefined,
  };
  return {
    data,
    outage,
    refresh() {
      errors.refresh();
      agents.refresh();
      refresh();
    },
  };
}

/** The focused tile, and the keys and the mouse that move the focus and open it. */
function useTileFocus(tiles: readonly OverviewTile[], places: readonly Place[], visible: boolean, refresh: () => void) {
  const { go } = useDashboard();
  const [focus, setFocus] = useState(0);
  const count = places.length;
  const at = Math.min(focus, Math.max(0, count - 1));
  const target = tiles[at]?.target;
  const step = (by: number) => (times: number) => setFocus((((at + by * times) % count) + count) % count);
  const onMouse = (mouse: Mouse): void => {
    const hit = placeAt(places, mouse.column, mouse.row - BODY_TOP);
    if (hit === -1 || mouse.kind === 'wheel') return;
    if (hit === at && target !== undefined) go(target);
    else setFocus(hit);
  };
  const commands = {
    next: count > 1 ? step(1) : undefined,
    previous: count > 1 ? step(-1) : undefined,
    open: target === undefined ? undefined : () => go(target),
    refresh,
  };
  useCommands('overview', commands, { active: visible, onMouse });
  return at;
}

/** The screen; while it is not visible it reads nothing and keeps its data. */
export function OverviewScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { now, glyphs } = useDashboard();
  const { data, outage, refresh } = useOverviewData(visible, overviewBuckets(width, glyphs));
  const nowMs = useNow(now, 10_000, visible);
  // A screen reader would read across tiles that are side by side.
  const columns = use(DrawingContext) === 'words' ? 1 : columnsFor(width);
  const tiles = visible ? overviewTiles(data, nowMs, glyphs, columns) : [];
  const wants = tiles.map(({ rows }) => rows);
  const places = placeTiles(wants, width, height, columns);
  const at = useTileFocus(tiles, places, visible, refresh);
  if (!visible) return null;
  return (
    <ScreenFrame chips={[]} standing={outageMessage(outage, nowMs)}>
      {tiles.length === 0 ? (
        <Notice
          title="You have no permission to see anything here."
          lines={['Ask an administrator of this server for a role or a token with permissions.']}
          width={width}
          height={height}
        />
      ) : (
        <Lines lines={tileRows(tiles, places, at)} width={width} height={height} />
      )}
    </ScreenFrame>
  );
}
