// The variables of the providers that people sign in with (OpenID Connect): the same ones for each name of a provider.
import { Issuer, ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import type { Variable } from '@quarterdeck/core/environment';
import { z } from 'zod';

/** A value of a claim, such as `groups=ops`. */
export interface ClaimValue {
  readonly claim: string;
  readonly value: string;
}

const PREFIX = 'QUARTERDECK_OIDC_';
/** Placeholder of the name in documents. */
export const ANY_PROVIDER = '<NAME>';

/** Splits `a=b,c=d` at the commas, and each part at its last `=`: names of claims and groups may have one. */
function pairsIn(text: string): (readonly [string, string])[] {
  return text.split(',').map((part) => {
    const at = part.lastIndexOf('=');
    return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()] as const;
  });
}

const claimValues = z
  .string()
  .transform((text) => pairsIn(text).map(([claim, value]) => ({ claim, value })))
  .pipe(z.array(z.object({ claim: z.string().min(1), value: z.string().min(1) })))
  .default([]);

const roleMap = z
  .string()
  .transform((text) => pairsIn(text))
  .pipe(z.array(z.tuple([z.string().min(1), z.enum(ROLE_NAMES)])))
  .transform((pairs): ReadonlyMap<string, RoleName> => {
    const roles = new Map<string, RoleName>();
    // Of a value that stands twice, the greater role counts, as of two values of a person.
    for (const role of [...ROLE_NAMES].reverse())
      for (const [value, given] of pairs) if (given === role) roles.set(value, role);
    return roles;
  })
  .default(new Map<string, RoleName>());

/** Scopes with spaces or commas between. */
const scopes = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((scope) => scope !== ''))
  .pipe(z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)))
  .refine((all) => all.includes('openid'))
  .default(['openid', 'profile', 'email']);

/** The variables of one provider. */
export const oidcVariables = (name: string) =>
  ({
    issuer: {
      name: `${PREFIX}${name}_ISSUER`,
      help: 'issuer of a provider for the sign-in, in the spelling of its own metadata',
      allowed: 'an https:// address without query and fragment; http:// on loopback only',
      schema: Issuer,
    },
    clientId: {
      name: `${PREFIX}${name}_CLIENT_ID`,
      help: 'id of this server at the provider',
      allowed: '1 to 256 visible characters',
      schema: z.string().regex(/^[\x21-\x7e]{1,256}$/),
    },
    clientSecret: {
      name: `${PREFIX}${name}_CLIENT_SECRET`,
      help: 'secret of this server at the provider, only from a file; without it this server is a public client',
      allowed: `1 to 1024 characters, in the file that ${PREFIX}${name}_CLIENT_SECRET_FILE names`,
      schema: z.string().min(1).max(1024).optional(),
      secret: true,
    },
    scopes: {
      name: `${PREFIX}${name}_SCOPES`,
      help: 'scopes to request; offline_access for a refresh token where the provider needs it',
      allowed: 'scopes with spaces between, openid among them',
      schema: scopes,
    },
    roleClaim: {
      name: `${PREFIX}${name}_ROLE_CLAIM`,
      help: 'claim whose values the role map is about; a dot leads into an object',
      allowed: 'the name of a claim, such as groups or realm_access.roles',
      schema: z.string().min(1).max(256).default('groups'),
    },
    roleMap: {
      name: `${PREFIX}${name}_ROLE_MAP`,
      help: 'roles by the values of that claim; the greatest counts, and without one nobody gets in',
      allowed: `value=role with commas between; roles: ${ROLE_NAMES.join(', ')}`,
      schema: roleMap,
    },
    allow: {
      name: `${PREFIX}${name}_ALLOW`,
      help: 'people who may sign in at all: one of these claims is enough; without it everybody of the provider',
      allowed: 'claim=value with commas between, such as hd=example.com',
      schema: claimValues,
    },
    secondFactor: {
      name: `${PREFIX}${name}_SECOND_FACTOR`,
      help: 'values of amr and acr that say that the provider has checked a second factor',
      allowed: 'amr=value or acr=value with commas between, such as amr=mfa,acr=urn:example:loa:2',
      schema: claimValues.refine((all) => all.every(({ claim }) => claim === 'amr' || claim === 'acr')),
    },
  }) as const satisfies Record<string, Variable<unknown>>;

/** The last parts of the names, the longest first: CLIENT_SECRET ends as no other one does. */
const SUFFIXES = Object.values(oidcVariables(''))
  .map((variable) => variable.name.slice(PREFIX.length))
  .sort((a, b) => b.length - a.length);

const NAME = new RegExp(`^${PREFIX}([A-Z][A-Z0-9_]{0,39}?)(?:${SUFFIXES.join('|')})(?:_FILE)?$`);

/** True for a variable of a provider, also with a typing error in it. */
export const isOidcName = (name: string): boolean => name.startsWith(PREFIX);

/** Name of the provider that a variable, or its `_FILE`, is about; undefined for any other. */
export const providerOf = (variable: string): string | undefined => NAME.exec(variable)?.[1];

/** Finds the variable of a name, without `_FILE`. */
export function oidcVariable(name: string): Variable<unknown> | undefined {
  const provider = providerOf(name);
  return provider === undefined ? undefined : Object.values(oidcVariables(provider)).find((one) => one.name === name);
}
