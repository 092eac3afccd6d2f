// Changes values of a TOML text and leaves all else as it is: comments, order, blank lines. Pure.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { isBelow, type TomlNode, tomlNodes } from './toml-nodes.ts';

export type Table = Readonly<Record<string, unknown>>;

/** A value at a path that is to be set, or removed if it is undefined. */
interface Change {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly isNew: boolean;
}

/** A replacement of a part of the text. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Compares without prototypes, which differ between parsed tables and literals. */
const isSame = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

function changesOf(before: Table, after: Table, path: readonly string[] = []): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): Change[] => {
    const [old, next] = [before[name], after[name]];
    const here = [...path, name];
    if (old !== undefined && next !== undefined && isSame(old, next)) return [];
    if (isTable(old) && isTable(next)) return changesOf(old, next, here);
    return [{ path: here, value: next, isNew: old === undefined }];
  });
}

/** Writes a value as it stands behind `=`. */
const valueText = (value: unknown): string => stringify({ x: value }).trim().slice('x = '.length);

const nested = (path: readonly string[], value: unknown): Table =>
  path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Table;

/** The edit of one change; null where the text has a form that it cannot change. */
function editOf(text: string, nodes: readonly TomlNode[], change: Change): Edit | null {
  const lineStart = (at: number): number => text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = (at: number): number => (text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at) + 1);
  /** Inserts lines after the line of an offset; the last line may have no end. */
  const insertAfter = (at: number, lines: string): Edit => {
    const start = lineEnd(at);
    return { start, end: start, text: `${start > 0 && text[start - 1] !== '\n' ? '\n' : ''}${lines}\n` };
  };
  const { path, value, isNew } = change;
  const node = nodes.find((one) => one.kind !== 'header' && isDeepStrictEqual(one.path, path));
  if (value === undefined) {
    if (node?.kind === 'inline') return null;
    const removed = node === undefined ? nodes.filter((one) => isBelow(one.path, path)) : [node];
    const [first, last] = [removed[0], removed.at(-1)];
    if (first === undefined || last === undefined) return null;
    return { start: lineStart(first.start), end: lineEnd(Math.max(...removed.map(({ end }) => end))), text: '' };
  }
  if (!isNew) return node === undefined ? null : { start: node.value, end: node.end, text: valueText(value) };
  if (isTable(value)) return insertAfter(text.length, `\n${stringify(nested(path, value)).trim()}`);
  const section = path.slice(0, -1);
  const line = stringify(nested(path.slice(-1), value)).trim();
  const inSection = nodes.filter(
    (one) => one.kind === 'entry' && one.path.length === path.length && isBelow(one.path, section),
  );
  const header = nodes.find((one) => one.kind === 'header' && isDeepStrictEqual(one.path, section));
  const anchor = inSection.at(-1) ?? header;
  if (anchor !== undefined) return insertAfter(anchor.end, line);
  return section.length === 0 ? { start: 0, end: 0, text: `${line}\n` } : null;
}

/** Returns the text with the values of `after`; null where only writing it anew gives them. */
export function editToml(text: string, before: Table, after: Table): string | null {
  let edited = text;
  for (const change of changesOf(before, after)) {
    const edit = editOf(edited, tomlNodes(edited), change);
    if (edit === null) return null;
    edited = edited.slice(0, edit.start) + edit.text + edited.slice(edit.end);
  }
  try {
    return isSame(parse(edited), after) ? edited : null;
  } catch {
    return null;
  }
}
