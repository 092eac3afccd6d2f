// The command of lists in the order of time that goes to a time.

import { momentText } from '@quarterdeck/views/text';
import { isInRange, parseMoment, rangeText } from '@quarterdeck/views/times';
import { momentNote } from '../../commands/time-arguments.ts';
import type { Dashboard } from '../../context/dashboard.ts';

/** Asks for a time unless it was typed behind the command, and goes there. */
export function goToTimeCommand(
  { open, say, now, zone, range }: Pick<Dashboard, 'open' | 'say' | 'now' | 'zone' | 'range'>,
  goTo: (timeS: number) => void,
) {
  const goToTyped = (text: string): void => {
    const nowMs = now();
    const parsed = parseMoment(text, { nowMs, zone });
    const warn = (problem: string): void => say({ tone: 'warning', text: problem });
    if ('problem' in parsed) warn(parsed.problem);
    else if (!isInRange(range, parsed.value, Math.floor(nowMs / 1000)))
      warn(`${momentText(parsed.value, nowMs)} is outside of the time range: ${rangeText(range, nowMs)}.`);
    else goTo(parsed.value);
  };
  return (_: number, text?: string): void => {
    if (text !== undefined) goToTyped(text);
    else
      open({
        kind: 'prompt',
        label: 'go to time: ',
        initial: '',
        history: [],
        note: (typed) => momentNote(typed, { nowMs: now(), zone }),
        onSubmit: (typed) => typed.trim() !== '' && goToTyped(typed),
      });
  };
}
