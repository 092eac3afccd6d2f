// The whole system on one screen. Enter opens what a tile is about.
import { can, contract } from '@quarterdeck/core';
import type { ApiToken } from '@quarterdeck/sdk';
import { type ReactElement, use, useCallback, useMemo, useState } from 'react';
import { BODY_TOP } from '../../components/frame/geometry.ts';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import { Notice } from '../../components/notice.tsx';
import { DrawingContext } from '../../components/text.tsx';
import { useApiTokens } from '../../data/api-tokens.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { useFleet } from '../../data/fleet.ts';
import { outageMessage } from '../../data/outage-message.ts';
import { usePresentOutage } from '../../data/outages.ts';
import { hasData, type Query } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useQuery } from '../../data/use-query.ts';
import { useCommands } from '../../keys/use-commands.ts';
import type { Mouse } from '../../terminal/index.ts';
import { beside, type Line } from '../../text/lines.ts';
import { columnsFor, placeTiles } from './overview-layout.ts';
import { overviewBuckets, readErrors } from './overview-read.ts';
import { overviewTiles } from './overview-tiles.ts';
import { tileLines } from './tile.ts';

/** Read again so often, milliseconds: a glance needs no second-by-second truth. */
const EVERY_MS = 10_000;

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function OverviewScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { client, ahead, me, online, now, go, glyphs } = useDashboard();
  const subject = useMemo(
    () => ({ kind: 'user' as const, permissions: me.permissions, credential: me.credential }),
    [me],
  );
  const may = {
    errors: can(subject, contract.errlog.list.access),
    agents: can(subject, contract.agent.list.access),
    tokens: can(subject, contract.apiToken.list.access),
  };
  const buckets = overviewBuckets(width, glyphs);
  const read = useCallback(
    (signal: AbortSignal) => ahead.take('errors', buckets) ?? readErrors(client, now(), buckets, signal),
    [client, ahead, now, buckets],
  );
  const errors = useQuery(read, { enabled: online && visible && may.errors, everyMs: EVERY_MS });
  const agents = useFleet(visible && may.agents);
  const outage = usePresentOutage(visible && may.agents);
  const tokens = useApiTokens(visible && may.tokens);
  const nowMs = useNow(now, 10_000, visible);
  const [focus, setFocus] = useState(0);
  // Side by side they would be read across.
  const columns = use(DrawingContext) === 'words' ? 1 : columnsFor(width);

  const tokenRows: Query<readonly ApiToken[]> = hasData(tokens.query)
    ? { ...tokens.query, data: tokens.rows }
    : tokens.query;
  const tiles = !visible
    ? []
    : overviewTiles(
        {
          errors: may.errors ? errors.query : undefined,
          agents: may.agents ? agents.query : undefined,
          tokens: may.tokens ? tokenRows : undefined,
        },
        nowMs,
        glyphs,
        columns,
      );
  const places = placeTiles(
    tiles.map(({ rows }) => rows),
    width,
    height,
    columns,
  );
  const at = Math.min(focus, Math.max(0, places.length - 1));
  const step =
    (by: number) =>
    (times: number): void =>
      setFocus((((at + by * times) % places.length) + places.length) % places.length);
  const target = tiles[at]?.target;
  const onMouse = (mouse: Mouse): void => {
    const row = mouse.row - BODY_TOP;
    const hit = places.findIndex(
      (place) =>
        mouse.column >= place.column &&
        mouse.column < place.column + place.width &&
        row >= place.row &&
        row < place.row + place.height,
    );
    if (hit === -1 || mouse.kind === 'wheel') return;
    if (hit === at && target !== undefined) go(target);
    else setFocus(hit);
  };
  useCommands(
    'overview',
    {
      next: places.length > 1 ? step(1) : undefined,
      previous: places.length > 1 ? step(-1) : undefined,
      open: target === undefined ? undefined : () => go(target),
      refresh() {
        errors.refresh();
        agents.refresh();
        tokens.refresh();
      },
    },
    { active: visible, onMouse },
  );
  if (!visible) return null;

  // Tiles of one row of tiles are put side by side, so that the body is rows and nothing else.
  const bands = new Map<number, { lines: Line[]; width: number }[]>();
  for (const [index, place] of places.entries()) {
    const tile = tiles[index];
    if (tile === undefined) continue;
    const block = { lines: tileLines(tile, place.width, place.height, index === at), width: place.width };
    bands.set(place.row, [...(bands.get(place.row) ?? []), block]);
  }
  const lines = [...bands.values()].flatMap((blocks) => beside(blocks, 0));
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
        <Lines lines={lines} width={width} height={height} />
      )}
    </ScreenFrame>
  );
}
