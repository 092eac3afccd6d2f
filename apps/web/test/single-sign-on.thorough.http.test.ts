// Signing in with a provider, which is another site for the browser, and confirming a terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../../server/test/identity-provider.ts';
import { hasNoBrowser, startWithPage, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('a provider', () => {
  let provider: IdentityProvider;
  const { api, open } = useVisitors(async () => {
    provider = await startIdentityProvider({ host: 'localhost' });
    const secretFile = join(newFolder(), 'secret');
    writeFileSync(secretFile, CLIENT.secret);
    const started = await startWithPage({
      OIDC_CORP_ISSUER: provider.issuer,
      OIDC_CORP_CLIENT_ID: CLIENT.id,
      OIDC_CORP_CLIENT_SECRET_FILE: secretFile,
      OIDC_CORP_SCOPES: 'openid profile groups',
      OIDC_CORP_ROLE_MAP: 'ops=operator',
    });
    await provider.register(started.url, 'corp');
    provider.people.set('ann', { preferred_username: 'ann', groups: ['ops'] });
    return started;
  });
  afterAll(() => provider?.[Symbol.asyncDispose]());

  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"ann@gw1"}' };

  it('brings a person back to the page that they wanted, with a session, and lets it sign in a terminal', async () => {
    provider.next = 'ann';
    await using visitor = await open();
    await visitor.goTo('/account');
    await visitor.press('Sign in with corp', 'link');
    await visitor.page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
    expect(visitor.place()).toBe('/account');

    const { device_code: device, user_code: code } = (await api.fetch('/admin-api/user/device', asked)).body.data;
    await visitor.goTo('/device');
    await visitor.type('Code', code.toLowerCase());
    await visitor.press('Next');
    await visitor.sees('ann@gw1');
    await visitor.sees('127.0.0.1');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.press('Let it sign in');
    await visitor.sees('The terminal is signed in.');
    const answer = await api.ask('POST', '/admin-api/user/device/token', { device_code: device }, {});
    expect(answer.body.data).toMatchObject({ username: 'ann', role: 'operator' });
  });

  it('confirms the session of the page, and not for a link of another site', async () => {
    provider.next = 'ann';
    await using visitor = await open();
    await visitor.goTo('/sign-in');
    await visitor.press('Sign in with corp', 'link');
    await visitor.sees('Overview');
    const { db } = api.server.deps;
    const stale = () => db.write((tx) => tx.prisma.session.updateMany({ data: { confirmedMs: 0 } }));
    const confirmed = () => db.read.prisma.session.count({ where: { confirmedMs: { gt: 0 }, ssoId: { not: null } } });
    const path = '/auth/oidc/corp?purpose=confirm&to=/account';
    await stale();
    await visitor.page.goto(`${provider.issuer}/.well-known/openid-configuration`);
    await visitor.page.evaluate(`location.href = ${JSON.stringify(api.url + path)}`);
    await visitor.sees('You are not signed in');
    expect(await confirmed()).toBe(0);
    await visitor.goTo('/account');
    await visitor.page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.press('Confirm with corp', 'link');
    await expect.poll(confirmed).toBe(1);
    await visitor.page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
  });

  it('says why nobody came in, and ends a session at once', async () => {
    await using visitor = await open();
    provider.next = undefined;
    await visitor.goTo('/sign-in');
    await visitor.press('Sign in with corp', 'link');
    await visitor.sees('The sign-in was refused at the provider.');
    provider.next = 'ann';
    await visitor.press('Sign in', 'link');
    await visitor.press('Sign in with corp', 'link');
    await visitor.sees('Overview');
    await provider.logout('ann');
    await visitor.goTo('/account');
    await visitor.sees('Sign in with corp');
  });
});
