// A real provider of OpenID Connect in this process, on loopback: oidc-provider, the certified one. Its people sign in
// without a password; a test says who comes, or refuses.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Adapter, type AdapterPayload, type Configuration, type JWKS } from 'oidc-provider';

/** Claims of a person, beside the subject. */
export type Person = Readonly<Record<string, unknown>>;

/** Options of {@link startIdentityProvider}. */
export interface ProviderOptions {
  /** The id token has the claims of the person; otherwise only the user info has them. */
  readonly inIdToken?: boolean;
  /** The provider gives no refresh token. */
  readonly withoutRefresh?: boolean;
  /** The provider has no user info. */
  readonly withoutUserInfo?: boolean;
  /** Name of the host; `localhost` is another site than 127.0.0.1. */
  readonly host?: string;
}

/** Id and secret of the server at the provider. */
export const CLIENT = { id: 'quarterdeck', secret: 'a-secret-of-the-client' } as const;

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** People by their subjects. */
  readonly people: Map<string, Person>;
  /** Subject of the person who signs in next; undefined: the person refuses. */
  next: string | undefined;
  /** Ways in which people prove who they are. */
  amr: readonly string[];
  /** Registers the server that people sign in to. */
  register(serverUrl: string, name: string): Promise<void>;
  /** Replaces the keys. */
  rotateKeys(): Promise<void>;
  /** Sends a logout token for a person, or for one session of theirs. */
  logout(subject: string, sid?: string): Promise<void>;
  /** Does not answer until {@link resume}. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Paths of the requests that came. */
  readonly requests: string[];
}

/** Seconds for which everything of the provider lasts. */
const LIFE_S = 3600;
const LIVES = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'RefreshToken', 'Session'];

/** Everything that providers store. */
const stored = new Map<string, AdapterPayload>();

/** Storage of a provider. */
class Memory implements Adapter {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async upsert(id: string, payload: AdapterPayload) {
    stored.set(`${this.#name}:${id}`, payload);
  }

  async find(id: string) {
    return stored.get(`${this.#name}:${id}`);
  }

  async findByUserCode() {
    return undefined;
  }

  async findByUid(uid: string) {
    return [...stored].find(([key, one]) => key.startsWith(`${this.#name}:`) && one.uid === uid)?.[1];
  }

  async consume(id: string) {
    const found = stored.get(`${this.#name}:${id}`);
    if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string) {
    stored.delete(`${this.#name}:${id}`);
  }

  async revokeByGrantId(grantId: string) {
    for (const [key, one] of stored) if (one.grantId === grantId) stored.delete(key);
  }
}

/** The part of a client that its types lack. */
interface LogoutClient {
  backchannelLogout(subject: string, sid: string): Promise<void>;
}

async function newKeys(): Promise<JWKS> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = await exportJWK(privateKey);
  return { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: `key-${Math.random()}` }] } as JWKS;
}

export async function startIdentityProvider(options: ProviderOptions = {}): Promise<IdentityProvider> {
  const { inIdToken = true, withoutRefresh = false, withoutUserInfo = false, host = '127.0.0.1' } = options;
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown = (_req, res) => res.writeHead(503).end();
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(String(req.url).replace(/\?.*/, ''));
    void handle(req, res);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://${host}:${port}`;
  const people = new Map<string, Person>();
  let registered: { readonly serverUrl: string; readonly name: string };
  let jwks = await newKeys();
  let provider: Provider;

  function create(): Provider {
    const { serverUrl, name } = registered;
    const scopes = 'openid profile email groups offline_access';
    const configuration: Configuration = {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [`${serverUrl}/auth/oidc/${name}/callback`],
          post_logout_redirect_uris: [serverUrl],
          grant_types: ['authorization_code', ...(withoutRefresh ? [] : ['refresh_token'])],
          backchannel_logout_uri: `${serverUrl}/auth/oidc/${name}/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      jwks,
      cookies: { keys: ['a key of cookies'] },
      claims: {
        openid: ['sub', 'amr'],
        profile: ['preferred_username'],
        email: ['email', 'email_verified'],
        groups: ['groups'],
      },
      conformIdTokenClaims: !inIdToken,
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        userinfo: { enabled: !withoutUserInfo },
        rpInitiatedLogout: {
          logoutSource(ctx, form) {
            ctx.body = form;
          },
        },
      },
      adapter: Memory,
      ttl: Object.fromEntries(LIVES.map((name) => [name, LIFE_S])),
      // Its own refuses addresses of loopback.
      fetch: (url, options = {}) =>
        fetch(url, Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'dispatcher'))),
      pkce: { required: () => true },
      issueRefreshToken: async () => !withoutRefresh,
      findAccount: (_ctx, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...people.get(accountId) }),
      }),
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      // Consent is given before.
      async loadExistingGrant(ctx) {
        const accountId = ctx.oidc.session?.accountId;
        const grant = new ctx.oidc.provider.Grant({
          clientId: CLIENT.id,
          ...(accountId === undefined ? {} : { accountId }),
        });
        grant.addOIDCScope(scopes);
        await grant.save();
        return grant;
      },
    };
    return new Provider(issuer, configuration);
  }

  async function use(): Promise<void> {
    provider = create();
    const callback = provider.callback();
    handle = async (req, res) => {
      if (!req.url?.startsWith('/interaction/')) return callback(req, res);
      await provider.interactionDetails(req, res);
      const result =
        api.next === undefined
          ? { error: 'access_denied', error_description: 'The person refuses.' }
          : { login: { accountId: api.next, amr: [...api.amr] } };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    };
  }

  const api: IdentityProvider = {
    issuer,
    people,
    requests,
    next: undefined,
    amr: ['pwd'],
    async register(serverUrl, name) {
      registered = { serverUrl, name };
      await use();
    },
    async rotateKeys() {
      jwks = await newKeys();
      await use();
    },
    async logout(subject, sid) {
      const client = await provider.Client.find(CLIENT.id);
      await (client as unknown as LogoutClient).backchannelLogout(subject, sid ?? '');
    },
    async pause() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    resume: () => listen(port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return api;
}
