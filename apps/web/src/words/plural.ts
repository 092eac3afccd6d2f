import { numberText } from './format.ts';

/** `1 row`, `3 rows`. */
export const plural = (n: number, unit: string): string => `${numberText(n)} ${unit}${n === 1 ? '' : 's'}`;
