// Where on the terminal what is. Pure.

/** Rows of the frame around a screen: header, crumbs, messages. The hints are the root's. */
export const FRAME_ROWS = 3;

/** Row of the terminal in which a screen's own content begins: below the header and the crumbs. */
export const BODY_TOP = 2;
