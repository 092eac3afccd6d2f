// Long-lived credentials (specification 2.2).
import { z } from 'zod';
import { text, UnixFraction, UnixMs } from './primitives.ts';

/** Below this a non-zero `expire` must have been meant as seconds: it is March 1973 in milliseconds. */
const SECONDS_SUSPECTED_BELOW = 100_000_000_000;

const Expire = UnixMs.refine((ms) => ms === 0 || ms >= SECONDS_SUSPECTED_BELOW, {
  message: 'must be in milliseconds since the Unix epoch; this looks like seconds',
}).meta({ description: 'Unix milliseconds, 0 = never' });

const Name = text(200);

/** An API token without its secret. The fields after `_modified_unix` come with `detail=1`. */
export const ApiToken = z.object({
  id: z.int(),
  name: z.string(),
  expire: UnixMs.meta({ description: 'Unix milliseconds, 0 = never' }),
  _created_unix: UnixFraction,
  _modified_unix: UnixFraction,
  uid: z.int().optional().meta({ description: 'Owner user id' }),
  username: z.string().optional().meta({ description: 'Owner' }),
  token_tail: z.string().optional().meta({ description: 'Last four characters of the secret, to recognise it by' }),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** An API token with its secret: the answer to its creation, once. */
export const NewApiToken = ApiToken.extend({ token: z.string(), uid: z.int() });
export type NewApiToken = z.infer<typeof NewApiToken>;

/** Body of a creation. */
export const ApiTokenDraft = z.object({ name: Name.nullish(), expire: Expire.nullish() });
export type ApiTokenDraft = z.infer<typeof ApiTokenDraft>;

/** Body of an update: what is absent stays as it is. */
export const ApiTokenChange = z
  .object({ name: Name.optional(), expire: Expire.optional() })
  .refine((change) => change.name !== undefined || change.expire !== undefined, {
    message: 'at least one of name and expire is needed',
  });
export type ApiTokenChange = z.infer<typeof ApiTokenChange>;
