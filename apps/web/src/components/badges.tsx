// Badges: a word whose tone is a colour.
import { levelName } from '@quarterdeck/core/plain';
import type { ChangeStrength, ErrlogState } from '@quarterdeck/sdk';

/** Levels up to this one are errors; the next two are worth a look. */
const BAD_MAX = 4;
const NOTABLE_MAX = 6;

/** Tone of a level, for its colour. The name of the level is always shown beside it. */
export const levelTone = (level: number): 'bad' | 'warning' | 'calm' =>
  level <= BAD_MAX ? 'bad' : level <= NOTABLE_MAX ? 'warning' : 'calm';

/** The name of a level. */
export const LevelBadge = ({ level }: { readonly level: number }) => (
  <span className={`badge badge-${levelTone(level)}`}>{levelName(level)}</span>
);

const STATE_TONES: Readonly<Record<ErrlogState, string>> = {
  new: 'bad',
  regressed: 'bad',
  ongoing: 'warning',
  muted: 'calm',
  resolved: 'good',
};

/** The state of a group of errors. */
export const StateBadge = ({ state }: { readonly state: ErrlogState }) => (
  <span className={`badge badge-${STATE_TONES[state]}`}>{state}</span>
);

const STRENGTH_TONES: Readonly<Record<ChangeStrength, string>> = { strong: 'bad', likely: 'warning', weak: 'calm' };

/** Strength of the suspicion of a change. */
export const StrengthBadge = ({ strength }: { readonly strength: ChangeStrength }) => (
  <span className={`badge badge-${STRENGTH_TONES[strength]}`}>{strength}</span>
);
