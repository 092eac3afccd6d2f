// Hosts, changes and tokens: a host that went away, the deployment before it, a token for a program.
import { describe, expect, it } from 'vitest';
import { word } from '../../server/test/word.ts';
import { DESK, hasNoBrowser, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('the fleet', () => {
  const { api, open } = useVisitors();

  it('shows a host that went away, and how it was an hour ago', async () => {
    const name = word();
    const { id, client } = await api.agent(name);
    const beforeS = Math.floor(api.now() / 1000) + 1;
    api.advance(3_600_000);
    await client.agent.shutdown({ params: { id } });
    await using visitor = await open();
    await visitor.signInAs('admin');
    await visitor.goTo(`/h?filter=${name}`);
    await visitor.sees('reported its shutdown');
    await visitor.press(`host-${name}`, 'link');
    await visitor.sees('What changed');
    await visitor.sees('offline');
    await visitor.goTo(`/h/${id}?at=${beforeS}`);
    await visitor.sees(/As of/);
    await visitor.sees('online');
    expect(await visitor.page.getByText('reported its shutdown').count()).toBe(0);
    await visitor.press('Now');
    await visitor.sees('reported its shutdown');
  });

  it('shows a deployment and what it did to errors', async () => {
    const name = word();
    const url = 'https://ci.example.org/runs/1';
    await api.admin.change.create({ body: { kind: 'deploy', name, before: '1.4.1', after: '1.4.2', url } });
    await using visitor = await open({ viewport: DESK, colorScheme: 'dark' });
    await visitor.signInAs('admin');
    await visitor.goTo('/changes');
    await visitor.press(`deploy ${name} 1.4.1 → 1.4.2`, 'link');
    await visitor.sees('Effects on errors');
    const link = visitor.page.getByRole('link', { name: url });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  });

  it('issues a token whose secret is shown once, and revokes it', async () => {
    const { username } = await api.person('operator');
    await using visitor = await open();
    const { page } = visitor;
    await visitor.signInAs(username);
    await visitor.goTo('/tokens');
    await visitor.press('New token');
    await visitor.type('Name', 'nightly report');
    await page.getByLabel('Only these').check();
    await page.getByLabel('errlog:read', { exact: true }).check();
    await visitor.press('Create');
    await visitor.sees('It is not shown again.');
    const secret = (await page.locator('.secret').textContent()) ?? '';
    expect((await api.using(secret).apiToken.self()).scopes).toEqual(['errlog:read']);
    await visitor.press('Done');
    await visitor.sees('nightly report');
    expect(await page.getByText(secret).count()).toBe(0);
    await visitor.press('Disable');
    await visitor.sees('Disabled.');
    await expect(api.using(secret).apiToken.self()).rejects.toMatchObject({ status: 401 });
    await visitor.press('Undo');
    await visitor.sees('Undone.');
    expect((await api.using(secret).apiToken.self()).name).toBe('nightly report');
    await visitor.press('Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await visitor.sees('You have no API tokens.');
    await expect(api.using(secret).apiToken.self()).rejects.toMatchObject({ status: 401 });
  });

  it('marks a token with unused permissions, and takes them away once that was asked', async () => {
    const { client, username } = await api.person('operator');
    const made = await client.apiToken.create({ body: { name: 'old job', scopes: ['errlog:read', 'agent:read'] } });
    await api.using(made.token).errlog.list();
    await client.apiToken.use({ params: { id: made.id } });
    const createdMs = BigInt(api.now() - 31 * 86_400_000);
    await api.server.deps.db.write((tx) => tx.prisma.apiToken.update({ where: { id: made.id }, data: { createdMs } }));
    await using visitor = await open();
    await visitor.signInAs(username);
    await visitor.goTo('/tokens');
    await visitor.sees('not used for 30 days: agent:read');
    await visitor.press('Narrow');
    await visitor.sees('It keeps errlog:read and loses agent:read.');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Narrow' }).click();
    await visitor.sees('Narrowed.');
    expect((await api.using(made.token).apiToken.self()).scopes).toEqual(['errlog:read']);
  });
});
