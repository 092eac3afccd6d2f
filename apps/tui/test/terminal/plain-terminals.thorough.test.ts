// The built dashboard in terminals without UTF-8 or without cursor addressing.
import { describe, expect, it } from 'vitest';
import { FakeServer } from '../fake-server.ts';
import { serve } from '../serve.ts';
import { isBuilt, startPty } from './pty.ts';
import { running } from './running.ts';

/** The characters of all bytes that are not ASCII. */
const FOREIGN = /[^\0-\x7f]/g;

describe.skipIf(!isBuilt)('a terminal without UTF-8', () => {
  it('gets ASCII only, and a message that names the option for glyphs', async () => {
    await using on = await running({ LC_ALL: 'C' });
    const { dashboard } = on;
    await dashboard.waitForText('Drawing with ASCII: the locale is not UTF-8. --glyphs draws glyphs.');
    dashboard.type(':logs\r');
    await dashboard.waitForText('1 of 200');
    dashboard.type('jx');
    dashboard.type('?');
    await dashboard.waitForText('type to search');
    expect(dashboard.raw().match(FOREIGN)).toBeNull();
  });

  it('gets glyphs with --glyphs', async () => {
    await using on = await running({ LC_ALL: 'C' }, { args: ['--glyphs'] });
    await on.dashboard.waitForText('● live');
    expect(on.dashboard.text()).not.toContain('Drawing with ASCII');
  });
});

describe.skipIf(!isBuilt)('a terminal without cursor addressing', () => {
  it('gets the overview as text, with a sentence that says so', async () => {
    const server = new FakeServer();
    await using listening = await serve(server);
    const env = { QUARTERDECK_URL: listening.url, TERM: 'dumb' };
    await using plain = startPty({ columns: 120, env: { ...env, QUARTERDECK_TOKEN: server.token } });
    expect(await plain.exit).toMatchObject({ exitCode: 0 });
    await plain.screen.settled();
    expect(plain.text()).toContain('quarterdeck: this terminal cannot show the dashboard (TERM)');
    expect(plain.text()).toContain(`Quarterdeck at ${listening.url}, as admin`);
    expect(plain.raw()).not.toContain('\u001B');
    // Without a credential there is nothing to print.
    await using unknown = startPty({ columns: 120, env });
    expect(await unknown.exit).toMatchObject({ exitCode: 2 });
  });
});
