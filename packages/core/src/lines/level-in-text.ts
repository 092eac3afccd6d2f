// Finds the level that a plain line names near its beginning.
import { LEVEL_ERROR } from '../base/level.ts';
import { levelOfName } from './level-names.ts';

/** Further on, a word such as ERROR belongs to the message. */
const LOOKED_AT = 200;
/**
 * Behind the time at the beginning: a level in any case (`, Info`), or its first letter (logcat's ` I `). Glog
 * (`E1126 20:30:00`), Tornado (`[E 261126 20:30:00`), Jupyter, Ruby (`E, [2026-`) and the brief form of logcat begin
 * with the letter.
 */
const BEHIND_TIME =
  /^\[?\d[\d\s./,+TZ-]*:[\d\s:./,+TZ-]*\]?[\s|]+([A-Za-z]{1,11})(?=[\s:/|\],]|$)|^\[?([VDIWEFC])(?:\/\S|, \[\d| ?(?:\d{4}|\d{6}|\d{8}) \d\d:\d\d:\d\d| \d{4}-\d\d-\d\d )/;
/** Levels of the letters that logcat, Glog, MongoDB, Tornado and Ruby write. */
const LETTERS = new Map([...'VDIWEFC'].map((letter, i) => [letter, [8, 8, 7, 5, LEVEL_ERROR, 3, 3][i]]));
/**
 * In capitals (`ERROR`), in brackets (`[error]`, `<warn>`, Apache's `[core:error]`), as `level=error`, or before a
 * colon (`error: `). .NET begins a line with `fail: `.
 */
const LEVEL_WORD =
  /\b(EMERG|EMERGENCY|PANIC|ALERT|CRIT|CRITICAL|FATAL|SEVERE|ERR|ERROR|WARN|WARNING|NOTICE|INFO|INFORMATION|DEBUG|TRACE)\b|[[<(](?:\w+:)?([A-Za-z]{3,11})[\])>]|\b(?:level|lvl|severity)"?[=:] ?"?([A-Za-z]{3,11})\b|^(fail|crit|dbug|trce|dbg|err)(?=: )|(?<![\w.])([Ee]rror|[Ff]atal|[Cc]ritical|[Ss]evere|[Ww]arn(?:ing)?|[Nn]otice|[Ii]nfo|[Dd]ebug)(?=: )/g;

/** Returns the level that a line names; undefined if it names none. */
export function levelInText(text: string): number | undefined {
  const head = text.slice(0, LOOKED_AT);
  const [, word, letter] = BEHIND_TIME.exec(head) ?? [];
  const level = levelOfWord(word ?? letter ?? '');
  if (level !== undefined) return level;
  for (const found of head.matchAll(LEVEL_WORD)) {
    const named = levelOfWord(found.slice(1).find((part) => part !== undefined) ?? '');
    if (named !== undefined) return named;
  }
  return undefined;
}

/** Levels of some loggers that are also words of messages: they count in capitals, and two of them never. */
const AMBIGUOUS = new Set(['config', 'failure', 'fine', 'finer', 'finest', 'note', 'silly', 'success']);
const NEVER = new Set(['default', 'http']);

function levelOfWord(word: string): number | undefined {
  if (word.length === 1) return LETTERS.get(word);
  const lower = word.toLowerCase();
  if (NEVER.has(lower) || (AMBIGUOUS.has(lower) && word !== word.toUpperCase())) return undefined;
  return levelOfName(word);
}
