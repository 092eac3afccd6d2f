// Parses lines of any other form: the text, the time it begins with, and the level and program named in its head.
import { type LineFields, levelInText, readLeadingTime, type TimeZone } from '@quarterdeck/core/lines';

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
  /** `stamp`: a time that is too far off to be true. */
  readonly fields?: LineFields;
}

function serviceOf(text: string): string | undefined {
  return SYSLOG_HEAD.exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}

/** Parses any text. */
export function readPlain(text: string, nowS: number, zone?: TimeZone): PlainEntry {
  const level = levelInText(text);
  const time = readLeadingTime(text, nowS, zone);
  const service = serviceOf(text);
  return {
    log: text,
    ...(level === undefined ? {} : { level }),
    ...(time?.seconds === undefined ? {} : { logTime: time.seconds }),
    ...(time !== undefined && time.seconds === undefined ? { fields: { stamp: time.stamp } } : {}),
    ...(service === undefined ? {} : { service }),
  };
}
