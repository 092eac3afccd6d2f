// Users and the own account, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { modulesOf, qrModules } from './qr-code.ts';
import { openTui } from './render-tui.tsx';

describe('people', () => {
  it('are made, changed and disabled, with a password that is typed twice', async () => {
    const server = new FakeServer();
    const times = { _created_unix: 1_760_000_000, _modified_unix: 1_760_000_000 };
    server.users = [{ id: 1, username: 'admin', role: 'master', disabled: false, second_factor: false, ...times }];
    await using tui = await openTui('● live', { server, keepsLines: true });
    await tui.type(':users\r').until('1 of 1');
    await tui.press('a').until('New user');
    await tui.type('deputy\t\t\tshort\r').until('At least 15 characters.');
    await tui.press('ctrl+u', 'correct horse staple\tanother one\r').until('The passwords do not match.');
    await tui.press('ctrl+u', 'correct horse staple\r').until('Created deputy, viewer.', /▌ ● active +deputy/);
    expect(tui.everShown()).not.toContain('correct horse staple');
    await tui.press('T').until('Disable this user?');
    await tui.press('y').until('○ disabled');
    expect(server.users.find(({ username }) => username === 'deputy')?.disabled).toBe(true);
  });

  it('are warned before they change their own role, and only then', async () => {
    const server = new FakeServer();
    const times = { _created_unix: 1_760_000_000, _modified_unix: 1_760_000_000 };
    server.users = [{ id: 1, username: 'admin', role: 'master', disabled: false, second_factor: false, ...times }];
    await using tui = await openTui('● live', { server });
    await tui.type(':users\r').until('1 of 1');
    await tui.press('e').until('Change admin');
    expect(tui.text()).not.toContain('This is you');
    await tui.press('tab', 'right').until('This is you: you may lose permissions.');
    await tui.press('escape').untilGone('Change admin');
  });

  it('set up a second factor: a code to scan, a first code, recovery codes once', async () => {
    await using tui = await openTui('Username', { server: new FakeServer(), signedIn: false, keepsLines: true });
    await tui.type(`admin\t${tui.server.password}\r`).until('● live');
    await tui.type(':account\r').until('no second factor: Y');
    await tui.press('Y').until('Set up a second factor');
    await tui.type('secret of mine\r').until('Scan the code', 'JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP');
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
    await tui.press('enter').until('Confirm with the first code');
    await tui.type('123456\r').until('Your recovery codes', 'demo-0000-only', 'y copies the codes.');
    await tui.press('escape').untilGone('demo-0000-only');
    expect(tui.everShown()).not.toContain('secret of mine');
  });

  it.each([
    [{ columns: 80, rows: 24, isUtf8: false }, 'A QR code needs block glyphs'],
    [{ columns: 60, rows: 20 }, 'The window is too small for the QR code'],
    [{ columns: 80, rows: 24, screenReader: true }, 'A QR code cannot be read aloud'],
  ])('set up a second factor with its key where no code can be drawn: %j', async (options, reason) => {
    await using tui = await openTui('Username', { ...options, server: new FakeServer(), signedIn: false });
    await tui.type(`admin\t${tui.server.password}\r`).until('live');
    await tui.type(':account\r').until('no second factor');
    await tui.press('Y').until('Set up a second factor');
    await tui.type('secret of mine\r').until(reason);
    expect(tui.text()).toContain('JBSW Y3DP EHPK 3PXP');
    expect(tui.text()).toContain('otpauth://totp/Quarterdeck:admin');
    expect(tui.text()).not.toMatch(/[▀▄]/);
  });
});
