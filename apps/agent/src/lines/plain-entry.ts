// Parses lines of any other form: the text, the time it begins with, and a level named near its beginning.
import { LEVEL_ERROR } from '@quarterdeck/core';
import { leadingTime, levelOfName } from '@quarterdeck/core/lines';
import type { WireLine } from './wire-line.ts';

/** Further on, a word such as ERROR belongs to the message. */
const LOOKED_AT = 96;
/** In capitals (`ERROR`), in brackets (`[error]`, `<warn>`, Apache's `[core:error]`), or as `level=error`. */
const LEVEL_WORD =
  /\b(EMERG|EMERGENCY|PANIC|ALERT|CRIT|CRITICAL|FATAL|SEVERE|ERR|ERROR|WARN|WARNING|NOTICE|INFO|INFORMATION|DEBUG|TRACE)\b|[[<(](?:\w+:)?([a-z]{3,9})[\])>]|\b(?:level|lvl|severity)="?([A-Za-z]{3,11})\b/g;

function levelOf(text: string): number {
  for (const found of text.slice(0, LOOKED_AT).matchAll(LEVEL_WORD)) {
    const word = found[1] ?? found[2] ?? found[3] ?? '';
    const level = word === 'SEVERE' ? LEVEL_ERROR : levelOfName(word);
    if (level !== undefined) return level;
  }
  return LEVEL_ERROR;
}

/** Parses any text. Without a level it is an error, as for the server's syslog receiver. */
export const readPlain = (text: string, nowS: number): WireLine => ({
  level: levelOf(text),
  log: text,
  log_time: leadingTime(text, nowS) ?? nowS,
});
