// Read-only links: they show one alert, or one group of errors, to whoever has them (wire contract section 12).
import * as z from 'zod';
import { Expire } from './expire.ts';
import { UnixFraction, UnixMs } from './primitives.ts';

/** Header with the key of a link. */
export const LINK_HEADER = 'Quarterdeck-Link';

const DAY_MS = 86_400_000;
/** Life of a link, where nobody chooses one, and the longest, in milliseconds. */
export const LINK_LIFE_MS = { usual: 7 * DAY_MS, max: 30 * DAY_MS } as const;

/** A read-only link without its key. */
export const SharedLink = z.object({
  id: z.int(),
  expire: UnixMs.meta({ description: 'Unix milliseconds' }),
  created: UnixFraction,
  created_by: z.string(),
  last_used: UnixFraction.nullable(),
});
export type SharedLink = z.infer<typeof SharedLink>;

/** A link to be made. */
export const SharedLinkDraft = z.object({
  expire: Expire.nullish().meta({
    description: 'Unix milliseconds, within 30 days; absent or null = in 7 days',
  }),
});
export type SharedLinkDraft = z.infer<typeof SharedLinkDraft>;

/** A new link. Its address has the key in the fragment, which no browser sends: shown once. */
export const NewSharedLink = z.object({
  id: z.int(),
  url: z.string().meta({
    description: 'Begins with QUARTERDECK_PUBLIC_URL; where that is not set, with the path',
    examples: ['https://quarterdeck.example/a/12#link=qd_l_...'],
  }),
  expire: UnixMs.meta({ description: 'Unix milliseconds' }),
});
export type NewSharedLink = z.infer<typeof NewSharedLink>;
