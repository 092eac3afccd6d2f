// Message about an outage. Pure.
import type { Outage } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { momentText, plural } from '../text/format.ts';
import type { Message } from '../text/tone.ts';

/** Describes an open outage in one line. */
export function outageMessage(outage: Outage | undefined, nowMs: number): Message | null {
  if (outage === undefined) return null;
  const { lost, returned, started, sample } = outage;
  const still = lost - returned;
  const names = sample.map(({ hostname }) => clean(hostname)).slice(0, 3);
  const some = names.length === 0 ? '' : `: ${names.join(', ')}`;
  const back = returned === 0 ? '' : `, ${plural(returned, 'agent')} back`;
  return {
    tone: 'warning',
    text: `${plural(lost, 'agent')} went silent together at ${momentText(started, nowMs)}${back}; ${still} still away${some}${still > names.length && some !== '' ? ', …' : '.'}`,
  };
}
