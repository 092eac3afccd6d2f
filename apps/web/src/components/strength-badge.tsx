import type { ChangeStrength } from '@quarterdeck/sdk';

const TONES: Readonly<Record<ChangeStrength, string>> = { strong: 'bad', likely: 'warning', weak: 'calm' };

/** Strength of the suspicion of a change. */
export const StrengthBadge = ({ strength }: { readonly strength: ChangeStrength }) => (
  <span className={`badge badge-${TONES[strength]}`}>{strength}</span>
);
