// Speaks with one provider, by openid-client: the only code that reads its tokens.
import { AppError } from '@quarterdeck/core';
import { jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { createRemoteKeys } from '../../auth/issuer-keys.ts';
import type { CheckedFetch } from '../../net/checked-fetch.ts';
import type { OidcProvider } from '../../settings/oidc-settings.ts';
import { type Claims, claimTexts, neededClaims } from './claims.ts';

/** Values that bind an answer of the provider to the browser that asked. */
export interface FlowChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person as the provider names them, and what proves it again later. */
export interface ProvenPerson {
  readonly subject: string;
  /** All claims; those of the id token win over the user info. */
  readonly claims: Claims;
  readonly idToken: Claims;
  /** Session at the provider; '' where it does not say. */
  readonly sid: string;
  /** Unix milliseconds at which the provider has asked the person for their credentials; undefined = unknown. */
  readonly authenticatedMs: number | undefined;
  readonly refreshToken: string | undefined;
  /** Set where the user info alone has all claims that matter. */
  readonly accessToken: string | undefined;
}

/** Result of asking a provider about a person again: the claims, or undefined where it no longer vouches for them. */
export type Renewed = { readonly claims: Claims; readonly refreshToken?: string | undefined } | undefined;

export interface ProviderClient {
  readonly settings: OidcProvider;
  /** Address at which the person signs in. `isFresh`: the provider must ask for the credentials again. */
  authorizationUrl(redirectUri: string, checks: FlowChecks, isFresh: boolean): Promise<URL>;
  /**
   * Exchanges the code of an answer.
   *
   * @throws AppError `forbidden` where the provider or the person refused, `bad_request` for an answer that is not
   * valid, `identity_unavailable` where the provider does not answer
   */
  redeem(answer: URL, checks: FlowChecks, isFresh: boolean): Promise<ProvenPerson>;
  /** Asks about a person with the tokens of their sign-in. @throws AppError `identity_unavailable` */
  renew(subject: string, tokens: { refreshToken?: string; accessToken?: string }): Promise<Renewed>;
  /** Address at which a browser signs out at the provider; undefined where it has none. */
  signOutUrl(returnTo: string): Promise<string | undefined>;
  /**
   * Reads a token of its back-channel logout (OpenID Connect Back-Channel Logout 1.0, section 2.6).
   *
   * @throws AppError `bad_request`, `identity_unavailable`
   */
  readLogout(token: string): Promise<{ readonly subject: string | undefined; readonly sid: string | undefined }>;
}

/** Seconds by which the clocks of a provider and this server may differ. */
export const CLOCK_SKEW_S = 60;
/** Time for which the metadata of a provider is kept, and for which a failure to read it is. */
const METADATA_KEPT_MS = 5 * 60_000;
const FAILURE_KEPT_MS = 2_000;
/** Age of a logout token. */
const LOGOUT_AGE_S = 300;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The provider did not answer, or answered with a failure of its own. */
class Unreachable extends Error {}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Error && error.cause !== undefined && isUnreachable(error.cause));

/** Parts that a {@link ProviderClient} works with. */
export interface ProviderDeps {
  readonly fetch: CheckedFetch;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic: () => number;
}

/** Creates the client of a provider. It connects when it is first used. */
export function createProviderClient(settings: OidcProvider, deps: ProviderDeps): ProviderClient {
  const { now, monotonic } = deps;
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  let known: { readonly metadata: Promise<oidc.ServerMetadata>; readonly untilMs: number } | undefined;

  const reach: CheckedFetch = async (url, init) => {
    let response: Response;
    try {
      response = await deps.fetch(url, init);
    } catch (cause) {
      throw new Unreachable('The provider does not answer.', { cause });
    }
    if (response.status >= 500) throw new Unreachable(`The provider answers ${response.status}.`);
    return response;
  };
  const customFetch: oidc.CustomFetch = (url, init) => reach(url, init);
  const insecure = isPlain ? [oidc.allowInsecureRequests] : [];

  /** Reads the metadata once for all who ask at the same time. */
  function metadataOf(): Promise<oidc.ServerMetadata> {
    if (known !== undefined && monotonic() < known.untilMs) return known.metadata;
    const options = { [oidc.customFetch]: customFetch, execute: insecure };
    const metadata = oidc
      .discovery(new URL(issuer), clientId, undefined, undefined, options)
      .then((found) => found.serverMetadata());
    const mine = { metadata, untilMs: monotonic() + METADATA_KEPT_MS };
    known = mine;
    metadata.catch(() => {
      if (known === mine) known = { metadata, untilMs: monotonic() + FAILURE_KEPT_MS };
    });
    return metadata;
  }

  /** A configuration of its own for each use: it has no keys yet, so that rotated keys are found. */
  async function configure(): Promise<oidc.Configuration> {
    const auth = clientSecret === undefined ? oidc.None() : undefined;
    const metadata = {
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      [oidc.clockTolerance]: CLOCK_SKEW_S,
      [oidc.clockSkew]: Math.round((now() - Date.now()) / 1000),
    };
    const server = await metadataOf();
    const method = clientAuthOf(server, clientSecret) ?? auth;
    const config = new oidc.Configuration(server, clientId, metadata, method);
    config[oidc.customFetch] = customFetch;
    for (const allow of insecure) allow(config);
    oidc.enableNonRepudiationChecks(config);
    return config;
  }

  /** Runs a request; a provider that does not answer is `identity_unavailable`. */
  async function asking<T>(work: (config: oidc.Configuration) => Promise<T>): Promise<T> {
    try {
      return await work(await configure());
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      known = undefined;
      throw new AppError('identity_unavailable', {
        message: `The provider ${settings.name} does not answer. Try again shortly.`,
        cause,
      });
    }
  }

  /** Reads the user info, where it is needed and the provider has it. */
  async function withUserInfo(
    config: oidc.Configuration,
    token: string,
    subject: string,
    isNeeded: boolean,
  ): Promise<Claims | undefined> {
    if (!isNeeded || config.serverMetadata().userinfo_endpoint === undefined) return undefined;
    return (await oidc.fetchUserInfo(config, token, subject)) as Claims;
  }

  const lacks = (claims: Claims, names: readonly string[]) =>
    names.some((name) => claimTexts(claims, name).length === 0);

  const keys = createRemoteKeys({ fetch: reach, monotonic });

  return {
    settings,

    authorizationUrl: (redirectUri, { state, nonce, verifier }, isFresh) =>
      asking(async (config) =>
        oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(' '),
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(isFresh ? { max_age: '0', prompt: 'login' } : {}),
        }),
      ),

    redeem: (answer, { state, nonce, verifier }, isFresh) =>
      asking(async (config) => {
        try {
          const tokens = await oidc.authorizationCodeGrant(config, answer, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
            ...(isFresh ? { maxAge: 0 } : {}),
          });
          const idToken = (tokens.claims() ?? {}) as Claims;
          const subject = String(idToken['sub']);
          const needed = neededClaims(settings);
          // Without a refresh token, the user info must do for the questions to come.
          const isNeeded =
            lacks(idToken, [...needed, 'preferred_username']) ||
            (tokens.refresh_token === undefined && needed.length > 0);
          const info = await withUserInfo(config, tokens.access_token, subject, isNeeded);
          const time = idToken['auth_time'];
          const sid = idToken['sid'];
          const isEnough = needed.length > 0 && info !== undefined && !lacks(info, needed);
          return {
            subject,
            claims: { ...info, ...idToken },
            idToken,
            sid: typeof sid === 'string' ? sid : '',
            authenticatedMs: typeof time === 'number' ? time * 1000 : undefined,
            refreshToken: tokens.refresh_token,
            accessToken: isEnough ? tokens.access_token : undefined,
          };
        } catch (cause) {
          if (isUnreachable(cause)) throw cause;
          throw refusalOf(cause);
        }
      }),

    renew: (subject, { refreshToken, accessToken }) =>
      asking(async (config) => {
        const names = neededClaims(settings);
        try {
          if (refreshToken === undefined) {
            if (accessToken === undefined) return undefined;
            return { claims: (await oidc.fetchUserInfo(config, accessToken, subject)) as Claims };
          }
          const tokens = await oidc.refreshTokenGrant(config, refreshToken);
          const idToken = (tokens.claims() ?? {}) as Claims;
          if (idToken['sub'] !== undefined && idToken['sub'] !== subject) return undefined;
          const info = await withUserInfo(config, tokens.access_token, subject, lacks(idToken, names));
          return { claims: { ...info, ...idToken }, refreshToken: tokens.refresh_token ?? refreshToken };
        } catch (cause) {
          if (isRefusedGrant(cause)) return undefined;
          // A wrong secret of this server, say: nothing is known about the person.
          throw isUnreachable(cause) ? cause : new Unreachable('The provider refuses this server.', { cause });
        }
      }),

    signOutUrl: (returnTo) =>
      asking(async (config) => {
        if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
        // Without a hint: tokens do not belong into addresses. The provider asks the person instead.
        return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href;
      }),

    readLogout: (token) =>
      asking(async () => {
        const { jwks_uri: uri } = await metadataOf();
        if (uri === undefined) throw new AppError('bad_request', { message: 'The provider has no keys.' });
        const { payload } = await keys
          .using(uri, (find) =>
            jwtVerify(token, find, {
              issuer,
              audience: clientId,
              clockTolerance: CLOCK_SKEW_S,
              currentDate: new Date(now()),
              maxTokenAge: LOGOUT_AGE_S,
              requiredClaims: ['iat', 'jti', 'events'],
            }),
          )
          .catch((cause: unknown) => {
            if (isUnreachable(cause)) throw cause;
            throw new AppError('bad_request', { message: 'The logout token is not valid.', cause });
          });
        const { events, sub, sid, nonce } = payload as Claims;
        const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
        const subject = typeof sub === 'string' ? sub : undefined;
        const session = typeof sid === 'string' && sid !== '' ? sid : undefined;
        if (!isLogout || nonce !== undefined || (subject ?? session) === undefined) {
          throw new AppError('bad_request', { message: 'The token is no logout token.' });
        }
        return { subject, sid: session };
      }),
  };
}

/** The way in which the secret is sent: in the header where the provider takes that, as it is the default. */
function clientAuthOf(server: oidc.ServerMetadata, secret: string | undefined): oidc.ClientAuth | undefined {
  if (secret === undefined) return undefined;
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** True where the provider says that tokens of a sign-in no longer work. */
function isRefusedGrant(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.error === 'invalid_grant';
  return error instanceof oidc.WWWAuthenticateChallengeError && error.status === 401;
}

/** The refusal of an answer of a provider. Its texts come from outside, so none of them is shown. */
function refusalOf(cause: unknown): AppError {
  if (cause instanceof oidc.AuthorizationResponseError) {
    const message =
      cause.error === 'access_denied'
        ? 'The sign-in was refused at the provider.'
        : 'The provider could not sign you in. Try again, or ask an administrator.';
    return new AppError('forbidden', { message, cause });
  }
  return new AppError('bad_request', {
    message: 'The answer of the provider is not valid, or was used before. Sign in again.',
    cause,
  });
}
