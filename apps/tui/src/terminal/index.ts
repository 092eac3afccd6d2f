// The terminal without Ink: its modes, its keys, and the styles of text. `ink.ts` adds drawing with Ink.

export type { Mouse } from './input/mouse.ts';
export { readKeys } from './input/reader.ts';
export { type Input, Splitter } from './input/splitter.ts';
export { strokeOf } from './input/strokes.ts';
export type { Look } from './look.ts';
export { RealTerminal } from './real-terminal.ts';
