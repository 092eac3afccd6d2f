// How the body is shared between a list and what belongs to its selected row. Pure.

/** Sizes of both parts; `side` says where the second one is. */
export interface Split {
  readonly side: 'below' | 'beside';
  readonly list: { readonly width: number; readonly height: number };
  readonly pane: { readonly width: number; readonly height: number };
}

const BESIDE_FROM = 120;
/** Below the list, details take no more rows than these; longer ones scroll. */
const DETAIL_ROWS_MAX = 14;
/** Fewer rows of the list than these are not worth showing. */
const LIST_ROWS_MIN = 4;

/** Details beside the list where it is wide enough, else below it. */
export function splitForDetail(width: number, height: number): Split {
  if (width >= BESIDE_FROM) {
    const pane = Math.min(90, Math.floor(width * 0.45));
    return { side: 'beside', list: { width: width - pane, height }, pane: { width: pane, height } };
  }
  return splitBelow(width, height, Math.min(DETAIL_ROWS_MAX, Math.ceil(height * 0.6)));
}

/** A dialog of so many rows below the list; the whole body where the list would have next to nothing. */
export function splitBelow(width: number, height: number, rows: number): Split {
  const listHeight = height - rows;
  const paneHeight = listHeight < LIST_ROWS_MIN ? height : rows;
  return {
    side: 'below',
    list: { width, height: height - paneHeight },
    pane: { width, height: paneHeight },
  };
}

/** The list alone. */
export function undivided(width: number, height: number): Split {
  return { side: 'below', list: { width, height }, pane: { width, height: 0 } };
}
