// Calls that create, take and show every kind of secret, and the search for them.
import { randomUUID } from 'node:crypto';
import { createClient, signIn } from '@quarterdeck/sdk';
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';

export const words = () => `canary ${randomUUID()}`;

/** Secrets by name. */
export type Secrets = Record<string, string>;

/** Says which secrets are in which of the places. */
export const leaksOf = (secrets: Secrets, places: Readonly<Record<string, string>>): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(places)
      .filter(([, content]) => formsOf(secret).some((form) => content.includes(form)))
      .map(([where]) => `${name} in ${where}`),
  );

/** A secret, and the parts and encodings of it that are secret as well. */
function formsOf(secret: string): string[] {
  expect(secret.length).toBeGreaterThan(8);
  const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64').slice(0, -3)];
  // The random part of our own, without prefix and checksum.
  if (secret.startsWith('qd_')) forms.push(secret.slice(5, 48));
  // The seed of a second factor as bytes.
  if (/^[A-Z2-7]{32}$/.test(secret)) forms.push(Buffer.from(Secret.fromBase32(secret).bytes).toString('latin1'));
  return forms;
}

/** Creates, sends and shows every kind of secret over HTTP, in valid and invalid requests. */
export async function useEverySecret(
  url: string,
  master: { readonly username: string; readonly password: string },
  username: string,
  secrets: Secrets,
): Promise<void> {
  const keep = (name: string, secret: string) => {
    secrets[name] = secret;
    return secret;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });
  const boss = await signIn({ url, ...master });
  keep('session', boss.login.token);

  const first = keep('first password', words());
  const { id } = await boss.client.user.create({ body: { username, password: first, role: 'operator' } });
  const person = await signIn({ url, username, password: first });
  keep('their session', person.login.token);
  const password = keep('second password', words());
  await person.client.user.changePassword({ body: { current_password: first, password } });
  const { secret } = await person.client.user.beginSecondFactor({ body: { password } });
  keep('seed', secret);
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { recovery_codes } = await person.client.user.confirmSecondFactor({ body: { otp: code() } });
  for (const [i, one] of recovery_codes.entries()) {
    keep(`recovery code ${i}`, one);
    keep(`recovery code ${i}, plain`, one.replaceAll('-', ''));
  }
  const again = await signIn({ url, username, password, otp: recovery_codes[0] });
  keep('session by recovery code', again.login.token);
  await again.client.user.confirm({ body: { password, otp: recovery_codes[1] } });

  const made = await boss.client.apiToken.create({ body: { name: 'made' } });
  keep('API token', made.token);
  const rotated = await boss.client.apiToken.rotate({ params: { id: made.id }, body: { grace: 60 } });
  keep('rotated API token', rotated.token);
  for (const apiToken of [made.token, rotated.token]) await createClient({ url, apiToken }).user.me();
  const replaced = await boss.client.apiToken.create({ body: { name: 'replaced' } });
  keep('replaced API token', replaced.token);
  await boss.client.apiToken.rotate({ params: { id: replaced.id }, body: {} });
  // Its use raises an alarm.
  await fetch(`${url}/admin-api/user/me`, { headers: { 'API-Token': replaced.token } });
  const agent = await boss.client.agent.register({ body: { node_id: 'n', hostname: 'h' } });
  keep('agent', agent.secret);
  await createClient({ url, apiToken: agent.secret }).agent.heartbeat({ params: { id: agent.id }, body: {} });

  // Failures: wrong passwords, secrets in wrong places, truncated bodies.
  const wrong = keep('wrong password', words());
  const misplaced = keep('password as a name', words());
  const login = '/admin-api/user/login';
  await post(login, { username, password: wrong });
  await post('/admin-api/user/me/confirm', { password: wrong }, { 'edge-token': person.login.token });
  await post(login, { username: misplaced, password: wrong });
  await post(login, { username, password: wrong, otp: keep('wrong code', words()) });
  await post(login, `{"username": "${username}", "password": "${wrong}`);
  await post('/admin-api/api_token', { name: 3, token: rotated.token }, { 'API-Token': rotated.token });
  const headers = { 'API-Token': rotated.token };
  await fetch(`${url}/admin-api/api_token/${rotated.token}?token=${rotated.token}`, { headers });
  await fetch(`${url}/${rotated.token}`, { headers: { Authorization: `Basic ${rotated.token}` } });
  await boss.client.apiToken.revoke({ body: { tokens: [rotated.token] } });
  await fetch(`${url}/admin-api/user/me`, { headers });
  await person.client.user.logout();
  await boss.client.user.resetSecondFactor({ params: { id } });
}
