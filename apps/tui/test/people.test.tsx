// Users and the own account, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { modulesOf, qrModules } from './qr-code.ts';
import { renderTui } from './render-tui.tsx';

describe('people', () => {
  it('are made, changed and disabled, with a password that is typed twice', async () => {
    const server = new FakeServer();
    const times = { _created_unix: 1_760_000_000, _modified_unix: 1_760_000_000 };
    server.users = [{ id: 1, username: 'admin', role: 'master', disabled: false, second_factor: false, ...times }];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':users\r');
    await tui.waitForText('1 of 1');
    tui.press('a');
    await tui.waitForText('New user');
    tui.type('deputy\t\tshort\r');
    await tui.waitForText('At least 15 characters.');
    tui.press('ctrl+u');
    tui.type('correct horse staple\tanother one\r');
    await tui.waitForText('The passwords do not match.');
    tui.press('ctrl+u');
    tui.type('correct horse staple\r');
    await tui.waitForText('Created deputy, viewer.');
    await tui.waitForText(/▌ ● active +deputy/);
    expect(tui.raw()).not.toContain('correct horse staple');
    tui.press('T');
    await tui.waitForText('Disable this user?');
    tui.press('y');
    await tui.waitForText('○ disabled');
    expect(server.users.find(({ username }) => username === 'deputy')?.disabled).toBe(true);
  });

  it('are warned before they change their own role, and only then', async () => {
    const server = new FakeServer();
    const times = { _created_unix: 1_760_000_000, _modified_unix: 1_760_000_000 };
    server.users = [{ id: 1, username: 'admin', role: 'master', disabled: false, second_factor: false, ...times }];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':users\r');
    await tui.waitForText('1 of 1');
    tui.press('e');
    await tui.waitForText('Change admin');
    expect(tui.text()).not.toContain('This is you');
    tui.press('tab', 'right');
    await tui.waitForText('This is you: you may lose permissions.');
    tui.press('escape');
    await tui.waitForNoText('Change admin');
  });

  it('set up a second factor: a code to scan, a first code, recovery codes once', async () => {
    await using tui = renderTui({ server: new FakeServer(), signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${tui.server.password}\r`);
    await tui.waitForText('● live');
    tui.type(':account\r');
    await tui.waitForText('no second factor: Y');
    tui.press('Y');
    await tui.waitForText('Set up a second factor');
    tui.type('secret of mine\r');
    await tui.waitForText('Scan the code');
    await tui.waitForText('JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP');
    // The whole code at 80 x 24, with its border; parameters that state a default are left out to make it fit.
    const short = 'otpauth://totp/Quarterdeck:admin?issuer=Quarterdeck&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const code = modulesOf(short);
    expect(qrModules(tui.lines(), code.length)).toEqual(code);
    expect(
      tui
        .lines()
        .map((line) => line.slice(code.length + 2))
        .join('')
        .replaceAll(' ', ''),
    ).toContain('algorithm=SHA1&digits=6&period=30');
    expect(tui.text()).toContain('Enter asks for the');
    tui.press('enter');
    await tui.waitForText('Confirm with the first code');
    tui.type('123456\r');
    await tui.waitForText('Your recovery codes');
    await tui.waitForText('demo-0000-only');
    tui.press('escape');
    await tui.waitForNoText('demo-0000-only');
    expect(tui.raw()).not.toContain('secret of mine');
  });

  it.each([
    [{ columns: 80, rows: 24, isUtf8: false }, 'A QR code needs block glyphs'],
    [{ columns: 60, rows: 20 }, 'The window is too small for the QR code'],
    [{ columns: 80, rows: 24, screenReader: true }, 'A QR code cannot be read aloud'],
  ])('set up a second factor with its key where no code can be drawn: %j', async (options, reason) => {
    await using tui = renderTui({ ...options, server: new FakeServer(), signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${tui.server.password}\r`);
    await tui.waitForText('live');
    tui.type(':account\r');
    await tui.waitForText('no second factor');
    tui.press('Y');
    await tui.waitForText('Set up a second factor');
    tui.type('secret of mine\r');
    await tui.waitForText(reason);
    expect(tui.text()).toContain('JBSW Y3DP EHPK 3PXP');
    expect(tui.text()).toContain('otpauth://totp/Quarterdeck:admin');
    expect(tui.text()).not.toMatch(/[▀▄]/);
  });
});
