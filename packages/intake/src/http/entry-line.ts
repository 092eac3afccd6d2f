// Puts the lines of other senders together from what their entries say.
import { cleanName, type LineFields, type TextEntry } from '@quarterdeck/core/lines';
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core/plain';
import type { IntakeLine } from './http-lines.ts';

/** An entry. An absent or undefined value is one that it does not have. */
type Entry = { readonly [Name in keyof TextEntry]?: TextEntry[Name] | undefined } & Pick<TextEntry, 'log'>;

const LEVEL_INFO = LEVELS.indexOf('INFO');
const NO_NODE = -1;

/**
 * Returns the line of an entry, whose text is clean. Without a level it is ERROR for a stack trace, otherwise INFO.
 *
 * @param nowS Unix seconds, for an entry without a time
 */
export function lineOfEntry(entry: Entry, fields: LineFields | undefined, nowS: number): IntakeLine {
  const host = cleanName(entry.host ?? '');
  const service = cleanName(entry.service ?? '');
  return {
    level: entry.level ?? (entry.isTrace === true ? LEVEL_ERROR : LEVEL_INFO),
    log: entry.log,
    logTime: entry.logTime ?? nowS,
    appId: entry.appId ?? 0,
    reqId: entry.reqId ?? '',
    count: 1,
    nodeType: 0,
    nodeId: NO_NODE,
    ...(host === '' ? {} : { host }),
    ...(service === '' ? {} : { service }),
    ...(fields === undefined ? {} : { fields }),
    ...(entry.logTime === undefined ? { lacksTime: true } : {}),
    ...(entry.level === undefined && entry.isTrace !== true ? { lacksLevel: true } : {}),
  };
}
