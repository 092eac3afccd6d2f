import { levelName } from '@quarterdeck/core/plain';

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
