// The focused tile of the overview and its selected row, and the keys and the mouse that move and open them.
import { useState } from 'react';
import { BODY_TOP } from '../../components/geometry.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { useCommands } from '../../keys/use-commands.ts';
import type { Mouse } from '../../terminal/index.ts';
import { type Place, placeAt } from './overview-layout.ts';
import type { OverviewTile } from './overview-tiles.ts';
import type { TileFocus } from './tile.ts';

/** Rows of the frame of a tile. */
const FRAME_ROWS = 2;

/** The number of rows of a tile that open a screen of their own. */
export const rowsIn = (tile: OverviewTile | undefined, place: Place | undefined): number =>
  Math.max(0, Math.min(tile?.targets?.length ?? 0, (place?.height ?? 0) - FRAME_ROWS));

/** Moves by rows, and from the first and the last row of a tile to the next tile. */
export function moveFocus(
  { tile, row }: TileFocus,
  by: 1 | -1,
  rowsOf: (tile: number) => number,
  tiles: number,
): TileFocus {
  if (row + by >= 0 && row + by < rowsOf(tile)) return { tile, row: row + by };
  const next = (tile + by + tiles) % tiles;
  return { tile: next, row: by === 1 ? 0 : Math.max(0, rowsOf(next) - 1) };
}

/** Binds keys and mouse while the overview is visible. */
export function useTileFocus(
  tiles: readonly OverviewTile[],
  places: readonly Place[],
  visible: boolean,
  refresh: () => void,
): TileFocus {
  const { go } = useDashboard();
  const [focus, setFocus] = useState<TileFocus>({ tile: 0, row: 0 });
  const count = places.length;
  const rowsOf = (index: number): number => rowsIn(tiles[index], places[index]);
  const tile = Math.min(focus.tile, Math.max(0, count - 1));
  const row = Math.min(focus.row, rowsOf(tile) - 1);
  const targetOf = ({ tile: at, row: line }: TileFocus) => tiles[at]?.targets?.[line] ?? tiles[at]?.target;
  const target = targetOf({ tile, row });
  const step = (by: number) => (times: number) =>
    setFocus({ tile: (((tile + by * times) % count) + count) % count, row: 0 });
  const move = (by: 1 | -1) => (times: number) => {
    let next: TileFocus = { tile, row: Math.max(0, row) };
    for (let left = times; left > 0; left -= 1) next = moveFocus(next, by, rowsOf, count);
    setFocus(next);
  };
  const onMouse = (mouse: Mouse): void => {
    const hit = placeAt(places, mouse.column, mouse.row - BODY_TOP);
    if (hit === -1 || mouse.kind === 'wheel') return;
    const line = mouse.row - BODY_TOP - (places[hit]?.row ?? 0) - 1;
    const clicked = { tile: hit, row: Math.max(-1, Math.min(line, rowsOf(hit) - 1)) };
    if (clicked.tile === tile && clicked.row === row && target !== undefined) go(target);
    else setFocus(clicked);
  };
  const canMove = count > 1 || rowsOf(tile) > 1;
  const commands = {
    next: count > 1 ? step(1) : undefined,
    previous: count > 1 ? step(-1) : undefined,
    down: canMove ? move(1) : undefined,
    up: canMove ? move(-1) : undefined,
    open: target === undefined ? undefined : () => go(target),
    refresh,
  };
  useCommands('overview', commands, { active: visible, onMouse });
  return { tile, row };
}
