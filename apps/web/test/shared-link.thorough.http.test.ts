// A read-only link: made on the page of an alert or error, opened by somebody without an account, revoked.
import { beforeAll, describe, expect, it } from 'vitest';
import { type DemoWorld, fillWithDemo } from './demo-world.ts';
import { DESK, hasNoBrowser, PHONE, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('a read-only link', () => {
  const { api, open } = useVisitors();
  let world: DemoWorld;
  beforeAll(async () => {
    world = await fillWithDemo(api);
  });

  it.each([
    ['an alert', ({ alertId }: DemoWorld) => `/a/${alertId}`],
    ['an error', ({ groupId }: DemoWorld) => `/e/${groupId}`],
  ])('shows %s to somebody without an account until it is revoked', async (_, placeOf) => {
    const place = placeOf(world);
    const { username } = await api.person('operator');
    await using owner = await open({ viewport: DESK, colorScheme: 'light' });
    await owner.signInAs(username);
    await owner.goTo(place);
    await owner.press('Share');
    await owner.press('Make a link');
    const address = (await owner.page.locator('.link-address').textContent()) ?? '';
    expect(address).toMatch(/#link=\w+$/);
    const requests: string[] = [];

    await using guest = await open({ viewport: PHONE, colorScheme: 'dark' });
    guest.page.on('request', (request) => requests.push(request.url()));
    await guest.goTo(address.slice(api.url.length));
    await guest.sees('You see this through a read-only link.');
    await guest.sees(/newest/i);
    expect(await guest.page.getByRole('button').allTextContents()).toEqual([]);
    expect(await guest.accessibilityProblems()).toEqual([]);
    const key = address.split('#link=')[1] ?? '';
    expect(requests.filter((url) => url.includes(key))).toEqual([]);
    expect(requests.filter((url) => url.includes('/admin-api/events') || url.includes('/user/'))).toEqual([]);

    await owner.page.getByRole('button', { name: 'Revoke' }).first().click();
    await owner.sees('Revoked the link.');
    await guest.page.reload();
    await guest.sees('This link has ended or was revoked.');
    await guest.page.getByRole('link', { name: 'Sign in' }).click();
    await guest.page.getByLabel('User name').waitFor();
    expect(guest.place()).toBe(`/sign-in?to=${encodeURIComponent(place)}`);
  });

  it('shows nothing but its own page', async () => {
    const { alertId, groupId } = world;
    const { url } = await api.admin.link.createForAlert({ params: { id: alertId }, body: {} });
    await using guest = await open();
    await guest.goTo(url.replace(`/a/${alertId}`, `/e/${groupId}`));
    await guest.sees('This link shows something else.');
    await guest.goTo(url.replace(`/a/${alertId}`, '/e'));
    await guest.sees('A read-only link shows one alert or one error only.');
  });
});
