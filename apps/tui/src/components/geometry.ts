// Sizes of parts of the screen. Pure.

/** Columns and rows of a part. */
export interface Area {
  readonly width: number;
  readonly height: number;
}

/** Rows of the frame around a screen: header, crumbs, messages. The root draws the hints. */
export const FRAME_ROWS = 3;

/** First row of a screen's content, below the header and the crumbs. */
export const BODY_TOP = 2;
