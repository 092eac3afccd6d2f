// Reads the providers that people sign in with, and names all that is wrong with their settings at once.
import type { RoleName } from '@quarterdeck/core';
import { ConfigError, type Variable } from '@quarterdeck/core/environment';
import type { Config } from './config.ts';
import { type ClaimValue, isOidcName, oidcVariables, providerOf } from './oidc-variables.ts';
import type { Settings } from './settings.ts';

/** A provider of OpenID Connect that people may sign in with. */
export interface OidcProvider {
  /** Its name in paths and in the audit log: letters, digits and underscores, in lower case. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  readonly roleClaim: string;
  /** Role by value of that claim; empty = roles are given here. */
  readonly roleMap: ReadonlyMap<string, RoleName>;
  /** One of these is needed to sign in; empty = none is. */
  readonly allow: readonly ClaimValue[];
  /** One of these says that the provider has checked a second factor. */
  readonly secondFactor: readonly ClaimValue[];
}

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * Reads the providers, in the order of their names.
 *
 * @throws ConfigError that names every problem
 */
export function readProviders(
  settings: Settings,
  { publicUrl, host, passwordLogin }: Pick<Config, 'publicUrl' | 'host' | 'passwordLogin'>,
): readonly OidcProvider[] {
  const problems: string[] = [];
  const read = <T>(variable: Variable<T>): T | undefined => {
    try {
      return settings.value(variable);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const set = settings.names.filter(isOidcName).sort();
  for (const name of set.filter((one) => providerOf(one) === undefined))
    problems.push(`${name} is no setting of a provider`);
  const names = [...new Set(set.map(providerOf))].filter((name) => name !== undefined);
  const providers = names.map((name) => {
    const variables = oidcVariables(name);
    const secret = variables.clientSecret.name;
    if (set.includes(secret))
      problems.push(`${secret} is a secret: put it into a file and name that in ${secret}_FILE`);
    return {
      name: name.toLowerCase(),
      issuer: read(variables.issuer) ?? '',
      clientId: read(variables.clientId) ?? '',
      clientSecret: set.includes(secret) ? undefined : read(variables.clientSecret),
      scopes: read(variables.scopes) ?? [],
      roleClaim: read(variables.roleClaim) ?? '',
      roleMap: read(variables.roleMap) ?? new Map<string, RoleName>(),
      allow: read(variables.allow) ?? [],
      secondFactor: read(variables.secondFactor) ?? [],
    };
  });
  if (providers.length > 0 && publicUrl === undefined && !LOOPBACK_HOST.test(host)) {
    problems.push('sign-in with a provider needs QUARTERDECK_PUBLIC_URL: the provider sends people back to it');
  }
  if (providers.length === 0 && passwordLogin === 'masters') {
    problems.push('QUARTERDECK_PASSWORD_LOGIN=masters needs a provider: nobody else could sign in');
  }
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return providers;
}
