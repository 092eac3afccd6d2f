// Long-lived credentials (specification 2.2).
import * as z from 'zod';
import { PERMISSIONS } from '../auth/permissions.ts';
import { Expire } from './expire.ts';
import { SourceFilterText } from './filter.ts';
import { nameText, UnixFraction, UnixMs } from './primitives.ts';

const Name = nameText(200);

/** State of a token. `expiring`: within seven days. */
export const TokenState = z.enum(['active', 'expiring', 'expired', 'disabled']);
export type TokenState = z.infer<typeof TokenState>;

/** Kind of a token: `sentry` is the key of a DSN, which does nothing but write events of Sentry's SDKs. */
export const TokenKind = z.enum(['api', 'sentry']);
export type TokenKind = z.infer<typeof TokenKind>;

/** Address block, `192.0.2.0/24` or `2001:db8::/32`; a single address is a block of one. */
export const AddressBlock = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'must be an IP address or a CIDR block such as 10.0.0.0/8',
});

const restrictions = {
  scopes: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length).nullish().meta({
    description: "Permissions of the token; absent = all of the owner's",
  }),
  allowed_cidrs: z.array(AddressBlock).max(50).nullish(),
  errlog_filter: SourceFilterText.nullish(),
};

/** An API token without its secret. The fields after `_modified_unix` come with `detail=1`. */
export const ApiToken = z.object({
  id: z.int(),
  name: z.string(),
  expire: UnixMs.meta({ description: 'Unix milliseconds, 0 = never' }),
  _created_unix: UnixFraction,
  _modified_unix: UnixFraction,
  uid: z.int().optional().meta({ description: 'Owner user id' }),
  username: z.string().optional().meta({ description: 'Owner' }),
  kind: TokenKind.optional().meta({ description: 'sentry = the key of a DSN, which can only write; absent = api' }),
  token_tail: z.string().optional().meta({ description: 'Last four characters of the secret, to recognize it' }),
  state: TokenState.optional(),
  scopes: z.array(z.string()).nullable().optional().meta({ description: "null = all of the owner's permissions" }),
  allowed_cidrs: z.array(z.string()).optional().meta({ description: 'Addresses from which it works; empty = any' }),
  errlog_filter: z.string().optional().meta({
    description: "Sources that it may see besides its owner's filter; absent = all of the owner's",
  }),
  last_used: UnixFraction.nullable()
    .optional()
    .meta({ description: 'Unix seconds, at most a minute old; null = never' }),
  last_address: z.string().optional(),
  unused: z.array(z.string()).optional().meta({
    description: 'Permissions that it has and has not used for 30 days; absent where its uses are counted for less',
  }),
  last_client: z.string().optional(),
  grace_until: UnixMs.optional().meta({
    description: 'Time until which the secret before the last rotation works; 0 = none',
  }),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** An API token with its secret: the answer to its creation, once. */
export const NewApiToken = ApiToken.extend({ token: z.string(), uid: z.int() });
export type NewApiToken = z.infer<typeof NewApiToken>;

/** An API token to be created. */
export const ApiTokenDraft = z
  .object({
    name: Name.nullish(),
    expire: Expire.nullish(),
    kind: TokenKind.nullish().meta({
      description: 'sentry = the key of a DSN, with the scope errlog:write alone; default api',
    }),
    ...restrictions,
  })
  .meta({
    examples: [
      {},
      {
        name: 'ci',
        expire: 0,
        kind: 'api',
        scopes: ['errlog:read'],
        allowed_cidrs: ['127.0.0.1'],
        errlog_filter: 'label:tenant=north -service:payments',
      },
    ],
  });
export type ApiTokenDraft = z.infer<typeof ApiTokenDraft>;

/** Change of an API token: absent fields stay unchanged. */
export const ApiTokenChange = z
  .object({ name: Name.optional(), expire: Expire.optional() })
  .refine((change) => change.name !== undefined || change.expire !== undefined, {
    message: 'give name or expire',
  });
export type ApiTokenChange = z.infer<typeof ApiTokenChange>;

/** Maximum seconds for which the old secret works after a rotation. */
const GRACE_MAX_S = 30 * 86_400;

/** Rotation of the secret of an API token. */
export const ApiTokenRotation = z.object({
  grace: z.int().min(0).max(GRACE_MAX_S).nullish().meta({
    description: 'Seconds for which the old secret still works; default 0',
  }),
});
export type ApiTokenRotation = z.infer<typeof ApiTokenRotation>;

/** API tokens to be revoked by their secrets. */
export const ApiTokenRevocation = z.object({ tokens: z.array(z.string().max(200)).min(1).max(1000) });
export type ApiTokenRevocation = z.infer<typeof ApiTokenRevocation>;

/** Result of a revocation by secret. */
export const ApiTokensRevoked = z.object({ revoked: z.int().meta({ description: 'Number of revoked tokens' }) });
export type ApiTokensRevoked = z.infer<typeof ApiTokensRevoked>;

const Uses = z
  .array(
    z.object({
      name: z.string(),
      count: z.int().meta({ description: 'Requests since `since`; it starts again after 35 days without any' }),
      last_used: UnixFraction,
    }),
  )
  .meta({ description: 'Most recently used first' });

/** Permissions and endpoints that an API token has used. */
export const TokenUse = z.object({
  since: UnixFraction.meta({ description: 'Time from which its uses are counted' }),
  permissions: Uses.meta({ description: 'Permissions that its requests of the last 35 days needed' }),
  endpoints: Uses.meta({ description: 'Endpoints that it called in the last 35 days, such as `GET /metrics`' }),
  last: z
    .object({
      time: UnixFraction.nullable().meta({ description: 'At most a minute old; null = never' }),
      address: z.string(),
    })
    .meta({ description: 'Its last use' }),
});
export type TokenUse = z.infer<typeof TokenUse>;

/** Limits the scopes of an API token to the permissions that it has used. */
export const TokenNarrowing = z
  .object({ dry_run: z.boolean().default(false).meta({ description: 'Report the result without a change' }) })
  .meta({ examples: [{ dry_run: true }] });
export type TokenNarrowing = z.infer<typeof TokenNarrowing>;

/** Scopes of an API token that was narrowed. */
export const TokenNarrowed = z.object({
  scopes: z.array(z.string()).meta({ description: 'Permissions that it keeps' }),
  removed: z.array(z.string()).meta({ description: 'Permissions that it loses' }),
});
export type TokenNarrowed = z.infer<typeof TokenNarrowed>;
