// The layout of the tiles. Pure.

/** A place on the screen. */
export interface Place {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** Number of tiles side by side: one on narrow screens, three on wide ones. */
export const columnsFor = (width: number): number => (width < 60 ? 1 : width < 140 ? 2 : 3);

/** Fewest rows of a tile, frame included. */
const TILE_ROWS_MIN = 5;
const FRAME_ROWS = 2;
/** Least height of the chart, rows. */
const CHART_ROWS_MIN = 6;
/** Part of the rows that the chart may take. */
const CHART_SHARE = 1 / 4;

/** Heights of bands: all the rows they want where there is room, else equal parts. */
function heightsFor(wants: readonly number[], room: number): number[] {
  const sum = wants.reduce((total, rows) => total + rows, 0);
  if (sum <= room) return [...wants];
  const even = Math.floor(room / wants.length);
  // A band that wants less than an equal part leaves the rest to the others.
  const small = wants.filter((rows) => rows < even);
  if (small.length === 0 || small.length === wants.length) {
    return wants.map((_, index) => (index === wants.length - 1 ? room - even * (wants.length - 1) : even));
  }
  const others = wants.filter((rows) => rows >= even);
  const rest = heightsFor(others, room - small.reduce((total, rows) => total + rows, 0));
  return wants.map((rows) => (rows < even ? rows : (rest.shift() ?? even)));
}

/**
 * Places tiles that want so many rows each. The first one, a chart, is as wide as the screen and takes the rows that
 * the others leave. Tiles without room have no place.
 */
export function placeTiles(
  wants: readonly number[],
  width: number,
  height: number,
  columns = columnsFor(width),
): Place[] {
  if (wants.length === 0) return [];
  const others = wants.slice(1).map((rows) => Math.max(TILE_ROWS_MIN, rows + FRAME_ROWS));
  const chartMin = Math.min(height, CHART_ROWS_MIN);
  const bands: number[][] = [];
  for (let at = 0; at < others.length; at += columns) {
    if ((bands.length + 1) * TILE_ROWS_MIN > height - chartMin) break;
    bands.push(others.slice(at, at + columns));
  }
  const wanted = bands.map((band) => Math.max(...band));
  const heights = heightsFor(wanted, height - chartMin);
  let left = height - heights.reduce((total, rows) => total + rows, 0);
  const chart = bands.length === 0 ? left : Math.min(left, Math.max(CHART_ROWS_MIN, Math.floor(height * CHART_SHARE)));
  left -= chart;
  const places: Place[] = [{ column: 0, row: 0, width, height: chart }];
  let row = chart;
  for (const [index, band] of bands.entries()) {
    const high = (heights[index] ?? 0) + (index === 0 ? left : 0);
    const each = Math.floor(width / band.length);
    for (const [column] of band.entries()) {
      const isLast = column === band.length - 1;
      places.push({
        column: column * each,
        row,
        width: isLast ? width - each * (band.length - 1) : each,
        height: high,
      });
    }
    row += high;
  }
  return places;
}

/** The index of the place at a cell; -1 for none. */
export const placeAt = (places: readonly Place[], column: number, row: number): number =>
  places.findIndex(
    (place) =>
      column >= place.column &&
      column < place.column + place.width &&
      row >= place.row &&
      row < place.row + place.height,
  );
