// Masks secrets in the lines of a configuration file. It reads the whole file, because a secret may begin lines before
// those that changed.
import { maskAssigned, unfinishedValue } from './assigned-values.ts';
import {
  HARMLESS_NAME,
  HARMLESS_VALUE,
  LUA_STRING,
  looksRandom,
  MASK,
  PATH_NAME,
  PATH_VALUE,
  RUN,
  SECRET_FORMS,
  SECRET_NAME,
  SETTER,
} from './secret-patterns.ts';

/** A longer line is no configuration that people write. */
const LINE_MAX = 2_000;
/** Lines over which one value may extend. */
const VALUE_LINES_MAX = 500;

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]+-----/;
const PEM_END = /-----END [A-Z0-9 ]+-----/;
const CONTROL = /[^\P{C}\t]/u;

/** An open secret: everything is masked until a line closes it. */
interface Open {
  /** Reports whether a line is the last one. */
  readonly closes: (line: string) => boolean;
  /** True where the line that closes it does not belong to it. */
  readonly isExclusive?: true;
  /** True where the end of the file closes it too. */
  readonly mayEnd?: true;
  lines: number;
}

const until = (closes: Open['closes']): Open => ({ closes, lines: 0 });

/**
 * Masks lines; each stays one line. Returns undefined where a line is odd or a secret has no end: nobody can tell then
 * which text is secret.
 */
export function maskLines(lines: readonly string[], isLua: boolean): string[] | undefined {
  const masked: string[] = [];
  let open: Open | undefined;
  /** Open brackets of a block of Lua. */
  let luaDepth = 0;
  for (const line of lines) {
    if (line.length > LINE_MAX || CONTROL.test(line)) return undefined;
    if (open !== undefined) {
      open.lines += 1;
      if (open.lines > VALUE_LINES_MAX) return undefined;
      const isLast = open.closes(line);
      if (isLast && open.isExclusive) open = undefined;
      else {
        masked.push(line.trim() === '' ? '' : MASK);
        if (isLast) open = undefined;
        continue;
      }
    }
    if (luaDepth > 0 || /_by_lua/.test(line)) luaDepth = Math.max(0, luaDepth + balanceOf(line, '{', '}'));
    const isInLua = isLua || luaDepth > 0 || /_by_lua/.test(line);
    const result = maskLine(line, isInLua);
    if (result === undefined) return undefined;
    masked.push(result.text);
    ({ open } = result);
  }
  return open === undefined || open.mayEnd ? masked : undefined;
}

function maskLine(written: string, isLua: boolean): { text: string; open: Open | undefined } | undefined {
  if (PEM_BEGIN.test(written)) {
    const [before = ''] = written.split(PEM_BEGIN);
    const open = PEM_END.test(written) ? undefined : until((next) => PEM_END.test(next));
    return { text: `${maskForms(maskAssigned(before, isLua), isLua)}${MASK}`, open };
  }
  // An end without a beginning: the secret is above, and nobody knows from where.
  if (PEM_END.test(written) || /PRIVATE KEY|PuTTY-User-Key/.test(written)) return undefined;
  const line = maskAssigned(written, isLua);
  const found = secretName(line);
  if (found === undefined) return maskUnfinished(line, isLua);
  const { name, value } = found;
  const head = maskForms(name, isLua);
  const end = /\{\s*$/.test(value) ? ' {' : /;\s*$/.test(value) ? ';' : '';
  const hasValue = /[^\s"'{}()[\];:=,|>\\-]/.test(value);
  return { text: `${head}${hasValue ? ` ${MASK}` : ''}${hasValue ? end : value}`, open: continuationOf(line, value) };
}

/** Masks a line without a secret name. */
function maskUnfinished(line: string, isLua: boolean): { text: string; open: Open | undefined } {
  const unfinished = unfinishedValue(line, isLua);
  if (unfinished === undefined) return { text: maskForms(line, isLua), open: undefined };
  const { before, closes } = unfinished;
  return { text: `${maskForms(before, isLua)} ${MASK}`, open: closes && { ...until(closes), mayEnd: true } };
}

/** Splits a line behind its first secret name. */
function secretName(line: string): { readonly name: string; readonly value: string } | undefined {
  let from = 0;
  for (;;) {
    const match = SECRET_NAME.exec(line.slice(from));
    if (match === null) return undefined;
    const end = from + match.index + match[0].length;
    const [name = ''] = /[\w$-]*$/.exec(line.slice(0, end)) ?? [];
    const value = line.slice(end);
    if (PATH_NAME.test(name) && PATH_VALUE.test(value)) return undefined;
    const isClosingTag = line.slice(0, from + match.index).endsWith('</');
    const isHarmless = isClosingTag || (HARMLESS_NAME.test(name) && HARMLESS_VALUE.test(value));
    if (!isHarmless) return { name: line.slice(0, end), value };
    from = end;
  }
}

const count = (text: string, part: string): number => text.split(part).length - 1;

const balanceOf = (text: string, left: string, right: string): number => count(text, left) - count(text, right);

/** Blocks of nginx that have other directives, not values, inside. */
const BLOCKS = /^\s*(?:server|location|upstream|if|http|stream|events|limit_except|[\w]*_by_lua_block)\b/;

/** Finds out whether a secret value goes on in the next lines. */
function continuationOf(line: string, value: string): Open | undefined {
  if (value.includes('[[') && !value.includes(']]')) return until((next) => next.includes(']]'));
  for (const quote of ['"', "'"]) {
    // A quotation mark before the name closes behind it, as in JSON.
    if (count(line.replaceAll(`\\${quote}`, ''), quote) % 2 === 1) return until((next) => next.includes(quote));
  }
  for (const [left, right] of [
    ['{', '}'],
    ['[', ']'],
    ['(', ')'],
  ] as const) {
    let depth = balanceOf(value, left, right);
    if (depth <= 0 || BLOCKS.test(line)) continue;
    return until((next) => {
      depth += balanceOf(next, left, right);
      return depth <= 0;
    });
  }
  const goesOn = /(?:\\|\.\.)\s*$/;
  if (goesOn.test(value)) return until((next) => !goesOn.test(next));
  if (SETTER.test(line) && !/[;{]/.test(value)) return until((next) => next.includes(';'));
  if (/:\s*(?:[|>][+-]?\d?)?\s*$/.test(value)) return yamlBlock(line);
  // The value is in the next line.
  if (/^["'\])>]*\s*(?:[=:]>?)?\s*$/.test(value)) {
    return { ...until((next) => next.trim() !== ''), mayEnd: true };
  }
  return undefined;
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

/** The next line, and those that are indented further or are items of a list. */
function yamlBlock(line: string): Open {
  const indent = indentOf(line);
  let hasValue = false;
  const closes = (next: string) => {
    if (next.trim() === '') return false;
    const isInside = !hasValue || indentOf(next) > indent || /^\s*-/.test(next);
    hasValue = true;
    return !isInside;
  };
  return { closes, isExclusive: true, mayEnd: true, lines: 0 };
}

/** Masks secrets that are known by their form. */
function maskForms(text: string, isLua: boolean): string {
  const withoutForms = SECRET_FORMS.reduce((left, form) => left.replace(form, MASK), text);
  const masked = withoutForms.replace(RUN, (run) => (looksRandom(run) ? MASK : run));
  return isLua ? masked.replace(LUA_STRING, MASK) : masked;
}
