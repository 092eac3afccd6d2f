import type { ErrlogState } from '@quarterdeck/sdk';

const TONES: Readonly<Record<ErrlogState, string>> = {
  new: 'bad',
  regressed: 'bad',
  ongoing: 'warning',
  muted: 'calm',
  resolved: 'good',
};

/** The state of a group of errors. */
export const StateBadge = ({ state }: { readonly state: ErrlogState }) => (
  <span className={`badge badge-${TONES[state]}`}>{state}</span>
);
