// Words for the verdict on a change.
import type { ChangeEffects } from '@quarterdeck/sdk';
import { plural } from '../text/format.ts';

const LACKS: Readonly<Record<ChangeEffects['missing'][number], (effects: ChangeEffects) => string>> = {
  hosts: () => 'no host that made the change is known',
  silent: ({ silent }) => `${plural(silent, 'host')} that made the change stopped reporting`,
  lines: () => 'lines were lost in this time, or there were too many errors to compare',
  time: () => 'less than 10 minutes have passed',
};

/** Why a verdict is not certain, as a sentence; empty where it is. */
export function lackSentence(effects: ChangeEffects): string {
  const reasons = effects.missing.map((lack) => LACKS[lack](effects)).join('; ');
  return reasons === '' ? '' : `${reasons.charAt(0).toUpperCase()}${reasons.slice(1)}.`;
}
