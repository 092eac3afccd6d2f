// An administrator whose credential never expires, for tests that move the clock.
import { type Client, createClient } from '@quarterdeck/sdk';
import type { TestApi } from './start-api.ts';

/** Creates an API token that never expires, and a client with it. `headers` are for plain requests. */
export async function lastingAdmin({ admin, url }: Pick<TestApi, 'admin' | 'url'>) {
  const { token } = await admin.apiToken.create({ body: {} });
  const client: Client = createClient({ url, apiToken: token, retries: 0 });
  return { client, headers: { 'API-Token': token } };
}
