// Where the tiles are. Pure.

/** A place on the screen. */
export interface Place {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** Columns of tiles for so much width: one on the narrowest screens, three on wide ones. */
export const columnsFor = (width: number): number => (width < 60 ? 1 : width < 140 ? 2 : 3);

/** Fewer rows than these are no tile. */
const TILE_ROWS_MIN = 5;

/**
 * Places for tiles with these shares of the height; the first one is as wide as the screen. What does not fit in one
 * screen is left out where there is no room, and told by the number of places.
 */
export function placeTiles(count: number, width: number, height: number): Place[] {
  if (count === 0) return [];
  const columns = columnsFor(width);
  const wide = Math.max(TILE_ROWS_MIN, Math.min(14, Math.floor(height * (columns === 1 ? 0.4 : 0.34))));
  const places: Place[] = [{ column: 0, row: 0, width, height: Math.min(height, wide) }];
  const others = count - 1;
  const rest = height - wide;
  const rowsOfTiles = Math.max(1, Math.min(Math.ceil(others / columns), Math.floor(rest / TILE_ROWS_MIN)));
  const high = Math.floor(rest / rowsOfTiles);
  if (rest < TILE_ROWS_MIN) return places;
  for (let index = 0; index < Math.min(others, rowsOfTiles * columns); index += 1) {
    const row = Math.floor(index / columns);
    const column = index % columns;
    const inRow = Math.min(columns, others - row * columns);
    const each = Math.floor(width / inRow);
    const last = row === rowsOfTiles - 1;
    places.push({
      column: column * each,
      row: wide + row * high,
      width: column === inRow - 1 ? width - each * (inRow - 1) : each,
      height: last ? rest - high * (rowsOfTiles - 1) : high,
    });
  }
  return places;
}
