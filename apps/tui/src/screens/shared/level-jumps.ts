// The commands that jump to the next error or warning, among errors and among lines.
import { ERROR_LEVEL, WARN_LEVEL } from '@quarterdeck/views/errlog';
import type { Dashboard } from '../../context/dashboard.ts';

/** Tells whether a jump is to a level. */
export type IsWanted = (level: number) => boolean;

/** `select` selects a row `steps` matches away; it returns a message where there is none. */
export function levelJumps(
  select: (steps: number, what: string, isWanted: IsWanted) => string | null,
  say: Dashboard['say'],
) {
  const jump = (what: string, isWanted: IsWanted, by: 1 | -1) => (times: number) => {
    const text = select(by * times, what, isWanted);
    if (text !== null) say({ tone: 'notice', text });
  };
  const isError: IsWanted = (level) => level <= ERROR_LEVEL;
  const isWarning: IsWanted = (level) => level === WARN_LEVEL;
  return {
    nextError: jump('error', isError, 1),
    previousError: jump('error', isError, -1),
    nextWarning: jump('warning', isWarning, 1),
    previousWarning: jump('warning', isWarning, -1),
  };
}
