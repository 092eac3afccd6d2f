// Drawing with Ink through the compositor. A module of its own, so that the terminal opens before Ink is loaded.
export { drawOn } from './host.tsx';
export { shownLine } from './line-cells.ts';
export { CompositorContext, PaintedRows } from './painted-rows.tsx';
