// Custom commands without the terminal. With real programs: src/dashboard/background-programs.thorough.test.ts; in the
// terminal: terminal/custom-commands.thorough.test.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

/** Starts a dashboard whose programs are only recorded and then end with a text. */
async function start(
  server: FakeServer,
  config: readonly string[],
  text = 'exit code 0.',
): Promise<Tui & { readonly ran: (readonly string[])[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-custom-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config', 'config.toml'), config.join('\n'));
  const ran: (readonly string[])[] = [];
  const backgroundPrograms = {
    async run(words: readonly string[]) {
      ran.push(words);
      return { isDone: false, text };
    },
    end: async () => undefined,
  };
  const folders = { config: join(folder, 'config'), state: join(folder, 'state') };
  return Object.assign(await openTui('live', { server, columns: 100, folders, backgroundPrograms }), { ran });
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
  `command = 'check --host={hostname} "{id} of {server}" $(id);|*'`,
  'background = true',
];

describe('a custom command', () => {
  it('runs with the selected row as arguments, without a shell, and tells its end', async () => {
    await using tui = await start(withHosts('web $(reboot) "1"'), CHECK, 'exit code 4: it \u001B[2J broke');
    await tui.type(':agents\r').until('web $(reboot)');
    await tui.type('\u0007').until('Check host: exit code 4: it ␛[2J broke');
    expect(tui.ran).toEqual([['check', '--host=web $(reboot) "1"', `1 of ${tui.server.url}`, '$(id);|*']]);
  });

  it('is in the menu of the prefix of its chord, on its screens only', async () => {
    const chord = ['[[commands]]', 'key = "g x"', 'name = "Check host"', 'screens = ["agents"]', CHECK.at(-2) ?? ''];
    await using tui = await start(withHosts('web-1'), [...chord, 'background = true']);
    await tui.press('g').until('Esc cancels');
    expect(tui.text()).not.toContain('Check');
    await tui.press('escape', ':agents\r').until('1 of 1');
    await tui.press('g').until('x Check host');
    await tui.press('x').until('Check host: exit code 0');
    expect(tui.ran).toHaveLength(1);
  });

  it.each([
    ['-oProxyCommand=reboot', 'The value of hostname begins with "-", as options do. Nothing was run.'],
    ['a\u001B]52;c;x\u0007b', 'The value of hostname holds control characters. Nothing was run.'],
    ['a\nb', 'The value of hostname holds control characters. Nothing was run.'],
  ])('does not run with the host name %j', async (hostname, sentence) => {
    await using tui = await start(withHosts(hostname), CHECK);
    await tui.type(':agents\r').until('1 of 1');
    await tui.type('\u0007').until(`Check host: ${sentence}`);
    expect(tui.ran).toEqual([]);
  });

  it('says what is missing: a row, or a field of it', async () => {
    const config = [...CHECK, '[[commands]]', 'name = "Bill"', `command = "check {invoice}"`];
    await using tui = await start(withHosts('web-1'), config);
    await tui.type(':check-host\r').until('Check host: Select a row of a list first.');
    await tui.type(':agents\r').until('web-1');
    await tui.type(':bill\r').until('Bill: The selected row has no invoice.');
  });

  it('is listed in help, palette and completion of its screens only', async () => {
    await using tui = await start(withHosts('web-1'), [...CHECK, 'screens = ["agents"]']);
    await tui.type('?check host').until('No match.');
    await tui.press('escape').untilGone('No match.');
    await tui.type(':agents\r').until('web-1');
    await tui.type('?check host').until(/Ctrl-g\s+Check host\s+:check-host/);
    await tui.press('escape').untilGone(':check-host');
    await tui.type('\u0010check').until(/Check host\s+Ctrl-g/);
    await tui.press('escape').untilGone('Find a command');
    await tui.type(':che\t').until(':check-host');
    await tui.press('enter').until('Check host: exit code 0.');
  });

  it('asks first where `confirm` is set, and shows the words', async () => {
    await using tui = await start(withHosts('web 1'), [...CHECK, 'confirm = true']);
    await tui.type(':agents\r').until('web 1');
    await tui.type('\u0007').until('Run Check host?');
    expect(tui.text().replaceAll(/[│\s]+/g, ' ')).toContain('"--host=web 1"');
    await tui.press('n').untilGone('Run Check host?');
    expect(tui.ran).toEqual([]);
    await tui.type('\u0007').until('Run Check host?');
    await tui.press('y').until('Check host: exit code 0.');
  });
});
