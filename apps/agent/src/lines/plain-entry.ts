// Parses lines of any other form: the text, the time it begins with, and the level and program named in its head.
import { LEVEL_ERROR } from '@quarterdeck/core';
import { leadingTime, levelOfName } from '@quarterdeck/core/lines';

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

/** The head of a line that a syslog daemon has written to a file. An ISO time is common, so it needs a process id. */
const SYSLOG_HEAD =
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ ([\w.@/-]{1,48})(?:\([\w-]+\))?(?:\[\d+\])?: |\d{4}-\d\d-\d\dT\S+ \S+ (?:([\w.@/-]{1,48})\[\d+\]|(kernel)): )/;

/** A plain text as a log entry. An absent value is one that the text does not name. */
interface PlainEntry {
  readonly level?: number;
  readonly log: string;
  /** Unix seconds. */
  readonly logTime?: number;
  readonly service?: string;
}

function levelOf(text: string): number | undefined {
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

function serviceOf(text: string): string | undefined {
  return SYSLOG_HEAD.exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}

/** Parses any text. */
export function readPlain(text: string, nowS: number): PlainEntry {
  const level = levelOf(text);
  const logTime = leadingTime(text, nowS);
  const service = serviceOf(text);
  return {
    log: text,
    ...(level === undefined ? {} : { level }),
    ...(logTime === undefined ? {} : { logTime }),
    ...(service === undefined ? {} : { service }),
  };
}
