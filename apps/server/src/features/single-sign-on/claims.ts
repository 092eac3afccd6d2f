// Decides by the claims of a person what a provider lets them do here. Pure.
import { AppError, ROLE_NAMES, type RoleName } from '@quarterdeck/core';
import type { OidcProvider } from '../../settings/oidc-settings.ts';
import type { ClaimValue } from '../../settings/oidc-variables.ts';

/** Claims of a person, from an id token or the user info of a provider. */
export type Claims = Readonly<Record<string, unknown>>;

/** Rules of a provider about claims. */
type Rules = Pick<OidcProvider, 'roleClaim' | 'roleMap' | 'allow' | 'secondFactor'>;

const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Value of a claim by its name, or by the names of objects with dots between. */
function claimOf(claims: Claims, name: string): unknown {
  const whole = own(claims, name);
  if (whole !== undefined) return whole;
  const [head = '', ...rest] = name.split('.');
  const inner = own(claims, head);
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) return undefined;
  return claimOf(inner as Claims, rest.join('.'));
}

/** Values of a claim as text: one, or those of a list. */
export function claimTexts(claims: Claims, name: string): string[] {
  // An address that nobody has verified may be anybody's.
  if (name === 'email' && claims['email_verified'] !== true) return [];
  return [claimOf(claims, name)]
    .flat()
    .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(String);
}

const hasOne = (claims: Claims, values: readonly ClaimValue[]): boolean =>
  values.some(({ claim, value }) => claimTexts(claims, claim).includes(value));

/** Names of the claims that {@link judge} needs. */
export const neededClaims = ({ roleClaim, roleMap, allow }: Rules): string[] => [
  ...(roleMap.size > 0 ? [roleClaim] : []),
  ...allow.map(({ claim }) => claim),
];

/** A person whom a provider lets in. */
export interface Verdict {
  /** The role that the claims give; undefined where roles are given here. */
  readonly role: RoleName | undefined;
}

/**
 * Decides whether a person may come in, and with which role.
 *
 * @throws AppError `forbidden`
 */
export function judge(rules: Rules, claims: Claims): Verdict {
  if (rules.allow.length > 0 && !hasOne(claims, rules.allow)) {
    throw new AppError('forbidden', { message: 'The provider does not list you among those who may sign in here.' });
  }
  if (rules.roleMap.size === 0) return { role: undefined };
  const given = claimTexts(claims, rules.roleClaim).map((value) => rules.roleMap.get(value));
  const role = ROLE_NAMES.find((name) => given.includes(name));
  if (role === undefined) {
    throw new AppError('forbidden', { message: 'The provider gives you no role here. Ask an administrator for one.' });
  }
  return { role };
}

/** True where the id token says that the provider has checked a second factor. */
export const provesSecondFactor = ({ secondFactor }: Rules, idToken: Claims): boolean => hasOne(idToken, secondFactor);

const NAME_MAX = 64;

/** Makes a text the username of somebody; '' where nothing of it can be one. */
const asUsername = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._@-]+/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, NAME_MAX);

/** Name for a new user, by the claims; it identifies nobody. */
export function usernameOf(claims: Claims, provider: string): string {
  const names = ['preferred_username', 'nickname', 'email', 'name'].map((name) => own(claims, name));
  const usable = names.filter((name) => typeof name === 'string').map(asUsername);
  return usable.find((name) => name !== '') ?? asUsername(`${provider}-user`);
}
