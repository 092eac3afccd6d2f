// The own account: a second factor is set up with a phone, used, and turned off.
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { oneTimeCode } from '../../server/test/one-time-code.ts';
import { PASSWORD } from '../../server/test/start-api.ts';
import { hasNoBrowser, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('the own account', () => {
  const { api, open } = useVisitors();

  it('gets a second factor by a QR code, and asks for its code at the next sign-in', async () => {
    const { username } = await api.person('operator');
    await using visitor = await open();
    const { page } = visitor;
    await visitor.signInAs(username);
    await visitor.goTo('/account');
    await visitor.press('Set up a second factor');
    await visitor.type('Password', PASSWORD);
    await visitor.press('Next');
    const secret = (await page.locator('code.secret').textContent()) ?? '';
    const drawn = await page.getByRole('img', { name: 'QR code' }).locator('path').getAttribute('d');
    const uri = await uriOf(username, secret);
    const modules = encode(uri, { border: 2 }).data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    expect(drawn).toBe(modules.join(''));

    await visitor.press('Next');
    await visitor.type('Code', oneTimeCode(secret, api.now() - 30_000));
    await visitor.press('Turn it on');
    const codes = ((await page.locator('pre.secret').textContent()) ?? '').split('\n');
    expect(codes.length).toBeGreaterThan(5);
    await visitor.press('I have stored them');
    await visitor.sees('On. A sign-in takes a code');

    await page.locator('main').getByRole('button', { name: 'Sign out' }).click();
    await visitor.type('User name', username);
    await visitor.type('Password', PASSWORD);
    await visitor.press('Sign in');
    await visitor.type('Code', 'wrong-code');
    await visitor.press('Sign in');
    await visitor.sees('Incorrect code. Try again.');
    await visitor.type('Code', codes[0] ?? '');
    await visitor.press('Sign in');
    await visitor.sees('On. A sign-in takes a code');
    expect(visitor.place()).toBe('/account');
  });

  it('ends other sessions, and changes its password', async () => {
    const person = await api.person('viewer');
    await using visitor = await open();
    await visitor.signInAs(person.username);
    await visitor.goTo('/account');
    await visitor.press('End all other sessions');
    await visitor.sees('Ended all other sessions.');
    await expect(person.client.user.me()).rejects.toMatchObject({ status: 401 });
    await visitor.press('Change password');
    await visitor.type('Current password', 'not the password');
    await visitor.type('New password', `${PASSWORD} and more`);
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
    await visitor.page.getByRole('alert').waitFor();
    await visitor.type('Current password', PASSWORD);
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
    await visitor.sees('Changed your password.');
  });

  it('says when the session has ended, and returns after the next sign-in', async () => {
    const person = await api.person('operator');
    await using visitor = await open();
    await visitor.signInAs(person.username);
    await visitor.goTo('/e?last=7d');
    await visitor.sees('No errors match.');
    await api.admin.user.endSessions({ params: { id: person.id } });
    await visitor.page.getByLabel('Time range').selectOption('1h');
    await visitor.sees('Your session has ended. Sign in again.');
    await visitor.type('User name', person.username);
    await visitor.type('Password', PASSWORD);
    await visitor.press('Sign in');
    await visitor.sees('No errors match.');
    expect(visitor.place()).toBe('/e?last=1h');
  });
});

/** The address in the QR code of a person. */
async function uriOf(username: string, secret: string): Promise<string> {
  const query = new URLSearchParams({ issuer: 'Quarterdeck', secret, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/Quarterdeck:${encodeURIComponent(username)}?${query}`;
}
