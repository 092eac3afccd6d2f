// The state of a row that people switch on and off. Pure.
import type { BaseTone } from '../../theme/theme.ts';

/** The state in a word. */
export const enabledCell = ({
  enabled,
}: {
  readonly enabled: boolean;
}): { readonly text: string; readonly tone: BaseTone } =>
  enabled ? { text: '● enabled', tone: 'good' } : { text: '○ disabled', tone: 'muted' };
