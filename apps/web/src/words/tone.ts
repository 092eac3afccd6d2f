/** Tone of a badge. */
export type Tone = 'bad' | 'warning' | 'good' | 'calm';
