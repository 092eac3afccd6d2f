// The sign-in with providers of OpenID Connect: what the routes, the credential check and the sign-out need.
import { AppError } from '@quarterdeck/core';
import type { Proxies } from '@quarterdeck/core/network';
import { ANY_ADDRESS, createCheckedFetch } from '../../net/checked-fetch.ts';
import type { OidcProvider } from '../../settings/oidc-settings.ts';
import { endAtProvider } from './end-sign-ins.ts';
import type { SingleSignOnNeeds } from './needs.ts';
import { createProviderClient, type ProviderClient } from './provider-client.ts';
import { createSignInCheck, type SignInCheck } from './sign-in-check.ts';
import { createSignInWithProvider, type SignInWithProvider } from './sign-in-with-provider.ts';

/** Sign-ins with providers, for the routes and the check of credentials. */
export interface SingleSignOn extends SignInWithProvider {
  /** Ends the sessions that a provider names. @throws AppError `not_found`, `bad_request`, `identity_unavailable` */
  receiveLogout(provider: string, token: string): Promise<void>;
  /** Address at which a browser signs out at a provider; undefined where it has none. @throws AppError `not_found` */
  signOutUrl(provider: string, returnTo: string): Promise<string | undefined>;
  readonly check: SignInCheck;
}

interface ClientOptions {
  readonly providers: readonly OidcProvider[];
  readonly proxies: Proxies | undefined;
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** Creates the clients of the providers. The settings name their addresses, so each of them is allowed. */
export function createProviderClients(options: ClientOptions): ReadonlyMap<string, ProviderClient> {
  const { providers, proxies, ...clocks } = options;
  const fetch = createCheckedFetch({ allow: ANY_ADDRESS, setting: '', proxies });
  return new Map(providers.map((one) => [one.name, createProviderClient(one, { fetch, ...clocks })]));
}

/** Creates {@link SingleSignOn}. */
export function createSingleSignOn(deps: SingleSignOnNeeds & { readonly monotonic: () => number }): SingleSignOn {
  const clientOf = (provider: string): ProviderClient => {
    const client = deps.providerClients.get(provider);
    if (client === undefined) throw new AppError('not_found');
    return client;
  };
  return {
    ...createSignInWithProvider(deps, clientOf),
    check: createSignInCheck(deps),
    signOutUrl: async (provider, returnTo) => clientOf(provider).signOutUrl(returnTo),
    async receiveLogout(provider, token) {
      const client = clientOf(provider);
      const { subject, sid } = await client.readLogout(token);
      await endAtProvider(deps, { issuer: client.settings.issuer, provider, sid, subject }, 'logout');
    },
  };
}
