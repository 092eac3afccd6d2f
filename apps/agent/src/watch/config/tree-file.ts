// The state of one file of a configuration tree, as it is stored and compared.
import type { Stats } from 'node:fs';

/** Kinds of entries of a tree. */
export type EntryKind = 'file' | 'start' | 'denied' | 'link' | 'folder' | 'other';

export interface EntryState {
  /** `start` is a file of which only the start is hashed; `denied` one that the agent may not read. */
  readonly kind: EntryKind;
  /** Mode and owner, such as `0644 0:0`. */
  readonly mode: string;
  /** Changes whenever the content may have changed; empty where the content must be read again. */
  readonly stamp: string;
  /** Keyed hash of the content; the target of a link; empty where it is unknown. */
  readonly content: string;
}

const SEPARATOR = '|';
const MODE_BITS = 0o7777;

export const modeOf = ({ mode, uid, gid }: Stats): string =>
  `${(mode & MODE_BITS).toString(8).padStart(4, '0')} ${uid}:${gid}`;

/** A stamp for stats. A file that changed a moment ago may change again without another time. */
export const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats, nowMs: number): string =>
  Math.abs(nowMs - ctimeMs) < 2_000 ? '' : `${size} ${mtimeMs} ${ctimeMs} ${ino}`;

/** Encodes a state. The content comes last, as the target of a link may have any character. */
export const writeState = ({ kind, mode, stamp, content }: EntryState): string =>
  [kind, mode, stamp, content].join(SEPARATOR);

export function readState(text: string): EntryState {
  const [kind = '', mode = '', stamp = '', ...content] = text.split(SEPARATOR);
  return { kind: kind as EntryKind, mode, stamp, content: content.join(SEPARATOR) };
}
