// Finds the level that a plain line names near its beginning.
import { LEVEL_ERROR } from '../domain/level.ts';
import { levelOfName } from './level-names.ts';

/** Further on, a word such as ERROR belongs to the message. */
const LOOKED_AT = 200;
/**
 * Behind the time at the beginning: a level in any case (`, Info`), or its first letter (logcat's ` I `). Glog and the
 * brief form of logcat begin with the letter.
 */
const BEHIND_TIME =
  /^\[?\d[\d\s./,+TZ-]*:[\d\s:./,+TZ-]*\]?[\s|]+([A-Za-z]{1,11})(?=[\s:/|\],]|$)|^([VDIWEF])(?:\/\S|\d{4} \d\d:\d\d:\d\d)/;
/** Levels of the letters that logcat, Glog and MongoDB write. */
const LETTERS = new Map([...'VDIWEF'].map((letter, i) => [letter, [8, 8, 7, 5, LEVEL_ERROR, 3][i]]));
/**
 * In capitals (`ERROR`), in brackets (`[error]`, `<warn>`, Apache's `[core:error]`), as `level=error`, or before a
 * colon (`error: `).
 */
const LEVEL_WORD =
  /\b(EMERG|EMERGENCY|PANIC|ALERT|CRIT|CRITICAL|FATAL|SEVERE|ERR|ERROR|WARN|WARNING|NOTICE|INFO|INFORMATION|DEBUG|TRACE)\b|[[<(](?:\w+:)?([A-Za-z]{3,11})[\])>]|\b(?:level|lvl|severity)="?([A-Za-z]{3,11})\b|(?<![\w.])([Ee]rror|[Ff]atal|[Cc]ritical|[Ss]evere|[Ww]arn(?:ing)?|[Nn]otice|[Ii]nfo|[Dd]ebug)(?=: )/g;

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

function levelOfWord(word: string): number | undefined {
  if (word.length === 1) return LETTERS.get(word);
  return word.toUpperCase() === 'SEVERE' ? LEVEL_ERROR : levelOfName(word);
}
