// Requests about API tokens. A new secret goes from the answer to the person and nowhere else.
import type { ApiTokenDraft, Client, NewApiToken, TokenNarrowed } from '@quarterdeck/sdk';

export const createToken = (client: Client, body: ApiTokenDraft): Promise<NewApiToken> =>
  client.apiToken.create({ body });

/** Changes the name or the expiry of a token. */
export const updateToken = (client: Client, id: number, body: { name?: string; expire?: number }): Promise<undefined> =>
  client.apiToken.update({ params: { id }, body });

/** Gives a token a new secret. The old secret works for the given number of seconds. */
export const rotateToken = (client: Client, id: number, grace: number): Promise<NewApiToken> =>
  client.apiToken.rotate({ params: { id }, body: { grace } });

/** Disables or enables a token. */
export const setTokenEnabled = (client: Client, id: number, enabled: boolean): Promise<undefined> =>
  enabled ? client.apiToken.enable({ params: { id } }) : client.apiToken.disable({ params: { id } });

/** Limits a token to the permissions that it has used; `dryRun` shows them. */
export const narrowToken = (client: Client, id: number, dryRun: boolean): Promise<TokenNarrowed> =>
  client.apiToken.narrow({ params: { id }, body: { dry_run: dryRun } });

export const removeToken = (client: Client, id: number): Promise<undefined> =>
  client.apiToken.remove({ params: { id } });
