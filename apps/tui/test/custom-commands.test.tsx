// Custom commands with real programs, without the terminal. Commands in the terminal: terminal/custom-commands.test.ts.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarterdeck-custom-'));
  mkdirSync(join(folder, 'config'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const written = (): string => join(folder, 'written');

/** Starts a dashboard with a program that writes its arguments, one a line, to a file. */
function start(server: FakeServer, config: readonly string[], script = '', columns = 100): Tui {
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${written()}'\n${script}\n`);
  chmodSync(program, 0o700);
  writeFileSync(join(folder, 'config', 'config.toml'), config.join('\n').replaceAll('PROGRAM', program));
  const folders = { config: join(folder, 'config'), state: join(folder, 'state') };
  return renderTui({ server, columns, folders });
}

const withHosts = (...hostnames: readonly string[]): FakeServer => {
  const server = new FakeServer();
  server.agents = hostnames.map((hostname, index) => agent(index + 1, { hostname }));
  return server;
};

const CHECK = [
  '[[commands]]',
  'key = "ctrl+g"',
  'name = "Check host"',
  `command = 'PROGRAM --host={hostname} "{id} of {server}" $(id);|*'`,
  'background = true',
];

describe('a custom command', () => {
  it('runs with the selected row as arguments, without a shell, and tells its end', async () => {
    await using tui = start(withHosts('web $(reboot) "1"'), CHECK, `echo 'it \u001B[2J broke' >&2; exit 4`);
    await tui.waitForText('live');
    tui.type(':agents\r');
    await tui.waitForText('web $(reboot)');
    tui.type('\u0007');
    await tui.waitForText('Check host: exit code 4: it ␛[2J broke');
    expect(readFileSync(written(), 'utf8').split('\n')).toEqual([
      '--host=web $(reboot) "1"',
      `1 of ${tui.server.url}`,
      '$(id);|*',
      '',
    ]);
    expect(tui.raw()).not.toContain('\u001B[2J broke');
  });

  it('is in the menu of the prefix of its chord, on its screens only', async () => {
    const chord = ['[[commands]]', 'key = "g x"', 'name = "Check host"', 'screens = ["agents"]', CHECK.at(-2) ?? ''];
    await using tui = start(withHosts('web-1'), [...chord, 'background = true'], '', 80);
    await tui.waitForText('live');
    tui.press('g');
    await tui.waitForText('Esc cancels');
    expect(tui.text()).not.toContain('Check');
    tui.press('escape');
    tui.type(':agents\r');
    await tui.waitForText('1 of 1');
    tui.press('g');
    await tui.waitForText('x Check host');
    tui.press('x');
    await tui.waitForText('Check host: exit code 0');
    expect(existsSync(written())).toBe(true);
  });

  it.each([
    ['-oProxyCommand=reboot', 'The value of hostname begins with "-", as options do. Nothing was run.'],
    ['a\u001B]52;c;x\u0007b', 'The value of hostname holds control characters. Nothing was run.'],
    ['a\nb', 'The value of hostname holds control characters. Nothing was run.'],
  ])('does not run with the host name %j', async (hostname, sentence) => {
    await using tui = start(withHosts(hostname), CHECK);
    await tui.waitForText('live');
    tui.type(':agents\r');
    await tui.waitForText('1 of 1');
    tui.type('\u0007');
    await tui.waitForText(`Check host: ${sentence}`);
    expect(existsSync(written())).toBe(false);
  });

  it('says what is missing: a row, or a field of it', async () => {
    const config = [...CHECK, '[[commands]]', 'name = "Bill"', `command = "PROGRAM {invoice}"`];
    await using tui = start(withHosts('web-1'), config);
    await tui.waitForText('live');
    tui.type(':check-host\r');
    await tui.waitForText('Check host: Select a row of a list first.');
    tui.type(':agents\r');
    await tui.waitForText('web-1');
    tui.type(':bill\r');
    await tui.waitForText('Bill: The selected row has no invoice.');
  });

  it('is listed in help, palette and completion of its screens only', async () => {
    await using tui = start(withHosts('web-1'), [...CHECK, 'screens = ["agents"]']);
    await tui.waitForText('live');
    tui.type('?check host');
    await tui.waitForText('No match.');
    tui.press('escape');
    await tui.waitForNoText('No match.');
    tui.type(':agents\r');
    await tui.waitForText('web-1');
    tui.type('?check host');
    await tui.waitForText(/Ctrl-g\s+Check host\s+:check-host/);
    tui.press('escape');
    await tui.waitForNoText(':check-host');
    tui.type('\u0010check');
    await tui.waitForText(/Check host\s+Ctrl-g/);
    tui.press('escape');
    await tui.waitForNoText('Find a command');
    tui.type(':che\t');
    await tui.waitForText(':check-host');
    tui.press('enter');
    await tui.waitForText('Check host: exit code 0.');
  });

  it('asks first where it is told to, and shows the words', async () => {
    await using tui = start(withHosts('web 1'), [...CHECK, 'confirm = true']);
    await tui.waitForText('live');
    tui.type(':agents\r');
    await tui.waitForText('web 1');
    tui.type('\u0007');
    await tui.waitForText('Run Check host?');
    expect(tui.text().replaceAll(/[│\s]+/g, ' ')).toContain('"--host=web 1"');
    tui.press('n');
    await tui.waitForNoText('Run Check host?');
    expect(existsSync(written())).toBe(false);
    tui.type('\u0007');
    await tui.waitForText('Run Check host?');
    tui.press('y');
    await tui.waitForText('Check host: exit code 0.');
  });

  it('with a key that is taken is told at the start', async () => {
    await using tui = start(withHosts('web-1'), ['[[commands]]', 'key = "?"', 'name = "Mine"', 'command = "PROGRAM"']);
    await tui.waitForText('config.toml, line 2, column 1: the key ? of Mine is taken: Show all keys.');
  });
});
