// The agent's log: JSON lines for programs, short lines for people at a terminal.
import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** Receiver of log lines. */
export interface LogDestination {
  write(line: string): void;
}

const SECRET = /qd_[a-z]_[0-9A-Za-z]{8,}/g;
const ESCAPES = /[\p{Cc}\p{Cf}]/gu;

/** Formats one JSON line for people: `12:03:04 info  enrolled  id=7 interval=30`. */
function humanLine(json: string): string {
  const { level, time, msg, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const clock = String(time).slice(11, 19);
  return `${[`${clock} ${String(level).padEnd(5)}`, msg, ...details].join('  ').replace(ESCAPES, '?')}\n`;
}

/**
 * Creates the log. It masks everything that looks like one of our secrets.
 *
 * @param human true when people read the log
 */
export function createLog(lines: LogDestination, level: Config['logLevel'], human: boolean): Logger {
  const write = (line: string): void => {
    const safe = line.replace(SECRET, 'qd_[secret]');
    lines.write(human ? humanLine(safe) : safe);
  };
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, { write });
}
