// Masks the lines of a configuration file. A word is shown only where its place and its form are known to be harmless;
// everything else becomes the number of its characters. The whole file is read, because a value may begin lines above.
import { isAddress, isFreeWord, isHarmless, isName, isStatus } from './harmless-words.ts';
import { BLOCKS, DATA_BLOCKS, directiveOf, NAMED_BY_FIRST } from './nginx-directives.ts';
import { type Statement, statementsOf, type Word } from './statements.ts';

/** Replaces a text of some characters. */
const maskOf = (characters: number): string => `...(${characters} ${characters === 1 ? 'character' : 'characters'})`;

/** A part of the text that is masked. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Masks a text; it keeps its lines. Lines of Lua are masked as a whole. */
export function maskText(text: string, isLua: boolean): string {
  return cover(text, isLua ? [{ start: 0, end: text.length }] : hiddenSpans(text));
}

/** Masks lines as a whole. */
function hiddenSpans(text: string): Span[] {
  const spans: Span[] = [];
  /** Names of the open blocks; undefined where the contents of one are data. */
  const blocks: (string | undefined)[] = [];
  for (const statement of statementsOf(text)) {
    const { words, end } = statement;
    const block = blocks.at(-1);
    const isData = blocks.length > 0 && (block === undefined || DATA_BLOCKS.has(block));
    const name = words[0]?.text ?? '';
    spans.push(...statement.hidden, ...words.filter((word, at) => !isShown(statement, word, at, isData && block)));
    if (end === '{') blocks.push(!isData && BLOCKS.test(name) ? name : undefined);
    if (end === '}') blocks.pop();
  }
  return spans;
}

/** @param data name of the block whose contents are data, or undefined in a block that is not known; false elsewhere */
function isShown(statement: Statement, word: Word, at: number, data: string | false | undefined): boolean {
  const { words, end, endLine } = statement;
  const [first] = words;
  if (first === undefined || word.isOdd) return false;
  // Only nginx ends a statement so. If it goes over lines, its own end may be missing.
  const isWhole = end === ';' ? endLine === first.line : end === '{' && BLOCKS.test(first.text) && !isOverLines(words);
  if (!isWhole) return false;
  if (data !== false && (first.text !== 'include' || data === undefined)) return isShownData(word, at, data);
  const kind = first.isQuoted ? undefined : directiveOf(first.text);
  if (kind === undefined) return false;
  if (at === 0 || word.text === '') return true;
  if (kind === 'safe') return isHarmless(word.text, first.text);
  if (at === 1 && first.text === 'return' && isStatus(word.text)) return true;
  return isFreeWord(word.text) || (at === 1 && NAMED_BY_FIRST.test(first.text) && isName(word.text));
}

const isOverLines = (words: readonly Word[]): boolean => words.some(({ line }) => line !== words[0]?.line);

/** Entries of maps are data from their first word on. */
const isShownData = (word: Word, at: number, block: string | undefined): boolean =>
  block !== undefined &&
  (word.text === '' || isFreeWord(word.text) || (at === 0 && block === 'geo' && isAddress(word.text)));

/** Replaces spans line by line. Neighbours with only blanks between become one. */
function cover(text: string, spans: readonly Span[]): string {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  let shown = '';
  let at = 0;
  for (let i = 0; i < sorted.length; ) {
    const { start, end: first } = sorted[i] as Span;
    let end = first;
    for (i += 1; i < sorted.length && /^[ \t]*$/.test(text.slice(end, (sorted[i] as Span).start)); i += 1) {
      end = (sorted[i] as Span).end;
    }
    shown += text.slice(at, start) + maskLines(text.slice(start, end));
    at = end;
  }
  return shown + text.slice(at);
}

/** Masks each line of a text without the blanks around it. */
const maskLines = (text: string): string => text.replace(/[^\s](?:[^\n]*[^\s])?/g, (part) => maskOf([...part].length));
