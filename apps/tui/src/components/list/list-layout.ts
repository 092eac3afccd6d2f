// Layout of facets, table and details. Pure.
import type { Area } from '../geometry.ts';
import type { ListState } from './list-state.ts';

/** Sizes of the parts; an invisible part has size 0. */
export interface ListLayout {
  readonly facets: Area;
  readonly table: Area;
  readonly detail: Area;
  readonly side: 'below' | 'beside';
  /** Set if the rows of the table are longer than the screen is wide, and are wrapped into this area. */
  readonly wrapped?: Area;
}

const FACETS_WIDTH = 26;
/** Below this width, facets replace the table. */
const FACETS_BESIDE_FROM = 70;
/** Width of a screen from which details are beside the list: below, a message would have half of the room. */
const DETAIL_BESIDE_FROM = 160;
/** Maximum height of details below the table; longer ones scroll. */
const DETAIL_ROWS_MAX = 16;
/** Columns in which a row of a table is read as a whole, for screen readers. */
const LINEAR_COLUMNS = 240;
/** Minimum height of the table beside details. */
const TABLE_ROWS_MIN = 5;
const NOTHING: Area = { width: 0, height: 0 };

/** Rows for the content of details: without their frame, or without the title above them. */
export const detailRoom = ({ detail, side }: ListLayout): number =>
  Math.max(0, detail.height - (side === 'beside' ? 2 : 1));

export function layOutList(
  width: number,
  height: number,
  { detail, facetsOpen, focus }: Pick<ListState, 'detail' | 'facetsOpen' | 'focus'>,
  hasFacets: boolean,
  /** Shows one part at a time, for screen readers. */
  isLinear = false,
): ListLayout {
  const whole = { width, height };
  const showsFacets = facetsOpen && hasFacets && detail !== 'full';
  if (showsFacets && (isLinear || width < FACETS_BESIDE_FROM)) {
    return focus === 'facets'
      ? { facets: whole, table: NOTHING, detail: NOTHING, side: 'below' }
      : layOutList(width, height, { detail, facetsOpen: false, focus }, hasFacets, isLinear);
  }
  if (detail === 'full' || (isLinear && detail === 'open'))
    return { facets: NOTHING, table: NOTHING, detail: whole, side: 'below' };
  if (isLinear) {
    const times = Math.max(1, Math.ceil(LINEAR_COLUMNS / width));
    const table = { width: width * times, height: Math.max(2, Math.floor(height / times)) };
    return { facets: NOTHING, table, detail: NOTHING, side: 'below', wrapped: whole };
  }
  const facets = showsFacets ? { width: FACETS_WIDTH, height } : NOTHING;
  const rest = width - facets.width;
  if (detail === 'closed') return { facets, table: { width: rest, height }, detail: NOTHING, side: 'below' };
  if (width >= DETAIL_BESIDE_FROM) {
    const pane = Math.min(96, Math.floor(rest * 0.44));
    return { facets, table: { width: rest - pane, height }, detail: { width: pane, height }, side: 'beside' };
  }
  const rows = Math.min(DETAIL_ROWS_MAX, Math.ceil(height * 0.55));
  const detailHeight = height - rows < TABLE_ROWS_MIN ? height : rows;
  return {
    facets,
    table: { width: rest, height: height - detailHeight },
    detail: { width: rest, height: detailHeight },
    side: 'below',
  };
}
