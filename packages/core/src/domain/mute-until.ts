// Wire form of a mute.
import * as z from 'zod';
import { parseMute } from './mute.ts';

/** Short form of a mute. */
export const MuteUntil = z
  .string()
  .max(20)
  .refine((value) => parseMute(value) !== undefined, {
    message: 'must be a time up to 366d (30m, 1h, 7d), a count (100x), a rate over up to 7d (100x/1h) or "forever"',
  })
  .meta({ description: 'End of the mute: 1h, 7d, 100x, 100x/1h or forever', example: '100x/1h' });
