// Changed lines of a file in the form of `diff -u`, masked. Anything odd gives no difference.
import { DIFF_MAX } from '@quarterdeck/core';
import { structuredPatch } from 'diff';
import { maskText } from './mask.ts';

/** Largest file whose lines are compared, bytes. */
export const DIFF_FILE_MAX_BYTES = 256 * 1024;
/** Lines shown around a change. */
const CONTEXT = 2;
/** Bounds of the comparison: more changed lines, or more time, give no difference. */
const EDITS_MAX = 5_000;
const COMPARE_MAX_MS = 200;
const CUT = '\n… cut';

/** Files of keys and passwords: their lines never leave the host. */
const SECRET_FILE =
  /(?:\.(?:key|pem|p12|pfx|pk8|der|jks|keystore|ppk|kdbx|gpg|asc|htpasswd|passwd|pgpass|netrc|env|age)|(?:^|[._-])(?:htpasswd|passwd|shadow|secrets?|credentials?|id_(?:rsa|dsa|ecdsa|ed25519)\w*|tickets?|private)(?:[._-].*)?)$/i;

/** Reports whether the lines of a file may be compared: it is no file of secrets, and not its owner's alone. */
export function isComparable(path: string, mode: number, size: number): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return size <= DIFF_FILE_MAX_BYTES && (mode & 0o044) !== 0 && !SECRET_FILE.test(name);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text with its lines, plain and masked. */
interface Masked {
  readonly text: string;
  readonly plain: readonly string[];
  readonly masked: readonly string[];
}

function maskContent(content: Uint8Array, isLua: boolean): Masked {
  const text = decoder.decode(content).replaceAll('\r\n', '\n');
  return { text, plain: text.split('\n'), masked: maskText(text, isLua).split('\n') };
}

/** Compares two contents of a file; undefined where nothing can be shown safely. */
export function maskedDiff(path: string, before: Uint8Array, after: Uint8Array): string | undefined {
  try {
    const isLua = path.endsWith('.lua');
    return describe(maskContent(before, isLua), maskContent(after, isLua));
  } catch {
    return undefined;
  }
}

function describe(from: Masked, to: Masked): string | undefined {
  const patch = structuredPatch('', '', from.text, to.text, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: EDITS_MAX,
    timeout: COMPARE_MAX_MS,
  });
  if (patch === undefined || patch.hunks.length === 0) return undefined;
  const shown = ({ masked }: Masked, at: number): string => masked[at] ?? '';
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: marked }) => {
    let [oldAt, newAt] = [oldStart - 1, newStart - 1];
    const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
    const body = marked.flatMap((line) => {
      const mark = line.charAt(0);
      if (mark === '-') return [`-${shown(from, oldAt++)}`];
      if (mark === '+') return [`+${shown(to, newAt++)}`];
      if (mark !== ' ') return [];
      const [old, next] = [shown(from, oldAt), shown(to, newAt)];
      const plain = from.plain[oldAt] ?? '';
      oldAt += 1;
      newAt += 1;
      return [` ${old === next ? old : maskText(plain, true)}`];
    });
    return [head, ...body];
  });
  return bounded(lines);
}

/** Keeps whole lines up to the bound. */
function bounded(lines: readonly string[]): string {
  const text = lines.join('\n');
  if (text.length <= DIFF_MAX) return text;
  return `${text.slice(0, text.lastIndexOf('\n', DIFF_MAX - CUT.length))}${CUT}`;
}
