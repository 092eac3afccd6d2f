// Calls the server under test.
import { ADMIN_PASSWORD, type Program } from './processes.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends a request as a program would; throws for any answer but a success. */
export async function call(
  server: Program,
  path: string,
  init: RequestInit = {},
): Promise<{ text: string; data: unknown }> {
  const response = await fetch(server.url + path, { ...init, headers: { ...init.headers, ...JSON_TYPE } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return { text, data: (JSON.parse(text) as { data: unknown }).data };
}

/** Signs in and creates an API token. */
export async function makeCredentials(server: Program): Promise<{ session: string; apiToken: string; id: number }> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const login = (await call(server, '/admin-api/user/login', { method: 'POST', body })).data as { token: string };
  const draft = { method: 'POST', body: '{"name":"bench"}', headers: { 'edge-token': login.token } };
  const made = (await call(server, '/admin-api/api_token', draft)).data as { token: string; id: number };
  return { session: login.token, apiToken: made.token, id: made.id };
}
