import { describe, expect, it } from 'vitest';
import { agent, apiToken, entry, FakeServer } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

const ESC = '\u001B';

describe('the frame', () => {
  it('names server, user, role and connection, and the keys that work', async () => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    expect(tui.lines()[0]).toMatch(/^ Quarterdeck {2}quarterdeck\.test +admin master {3}● live( \d+ ms)? {2}\S+$/);
    expect(tui.lines()[1]).toMatch(/^ 1 \[2 Errors\] 3 4 5 6 7 8 9 +following$/);
    expect(tui.lines().at(-1)).toContain('? help');
    expect(tui.lines().at(-1)).not.toContain('details');
  });

  it('fills exactly the screen at any size, and asks for room where there is too little', async () => {
    const server = new FakeServer();
    server.errlog = Array.from({ length: 200 }, (_, index) => entry(index + 1));
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 200');
    tui.press('j', 'j');
    await tui.waitForText('3 of 200');
    for (const [columns, rows] of [
      [200, 50],
      [60, 15],
      [40, 10],
      [120, 30],
    ] as const) {
      tui.resize(columns, rows);
      await tui.waitFor(`a whole frame of ${columns}x${rows}`, () => {
        const lines = tui.lines();
        const head = lines.findIndex((line) => /Time +Level/.test(line));
        const table = lines.slice(head, rows - 2);
        return (
          /Quarterdeck.*live/.test(lines[0] ?? '') &&
          /2 Errors/.test(lines[1] ?? '') &&
          head > 1 &&
          table.slice(1).every((line) => line.includes('error number')) &&
          /\? help/.test(lines.at(-1) ?? '')
        );
      });
    }
    tui.resize(39, 10);
    await tui.waitForText('Needs 40x10, has 39x10.');
    expect(tui.text()).not.toContain('error');
    tui.resize(80, 24);
    await tui.waitForText('3 of 200');
  });

  it('shows the keys of the screen underneath in the help', async () => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    tui.press('?');
    await tui.waitForText('Error logs');
    tui.type('pause');
    await tui.waitForText(/=\s+Pause or resume\s+:pause/);
    await tui.waitForText('Esc close');
    tui.press('escape');
    await tui.waitForText('No errors.');
  });

  it.each(['q', 'Q', 'ctrl+c'])('leaves the terminal as it was after %s', async (key) => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    expect(tui.isAlternate()).toBe(true);
    expect(tui.isRaw()).toBe(true);
    tui.press(key);
    await tui.exited;
    await tui.waitFor('the main screen', () => !tui.isAlternate());
    expect(tui.isRaw()).toBe(false);
  });

  it('quits from inside a form on Ctrl-C, and takes q for text there', async () => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('No API tokens yet');
    tui.type('aq');
    await tui.waitForText('[q');
    tui.press('ctrl+c');
    await tui.exited;
  });

  it('takes Escape and a key that arrive together for two keys', async () => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    tui.press('?');
    await tui.waitForText('type to search');
    tui.type('\u001B3');
    await tui.waitForText('3 Agents');
  });

  it('uses no colour when asked not to', async () => {
    const server = new FakeServer();
    server.errlog = [entry(1, { level: 1 })];
    await using tui = renderTui({ server, color: false });
    await tui.waitForText('EMERG');
    expect(tui.raw()).not.toMatch(new RegExp(`${ESC}\\[(3|4|9)\\d[;m]`));
  });

  it('says that there is nothing to see for who may see nothing', async () => {
    const server = new FakeServer();
    server.permissions = [];
    await using tui = renderTui({ server });
    await tui.waitForText('You have no permission to see anything here.');
  });
});

const HOSTILE =
  '\u001B[31mred\u001B]0;owned\u0007\u001B]52;c;eA==\u0007\u001BP+q\u001B\\ \u009B2J\u0090x\u009C \b\b\r\n\tx\u0000\u007F ' +
  '\u202Eevil\u202C\u2066x\u2069\u200B\u200D\u2028\u2029\u{E0041}\uFEFF a\u0301\u0302\u0303\u0304\u0305\u0306\u0307';

describe('text from outside', () => {
  it('reaches the terminal on no screen as anything but text', async () => {
    const server = new FakeServer();
    server.username = `ad${HOSTILE}min`;
    server.role = HOSTILE;
    server.errlog = [entry(1, { log: HOSTILE, source: HOSTILE, note: HOSTILE, until: HOSTILE })];
    server.agents = [
      agent(1, {
        hostname: HOSTILE,
        ip: HOSTILE,
        env: HOSTILE,
        note: HOSTILE,
        node_id: HOSTILE,
        system_name: HOSTILE,
        progress: { current: 1, detail: HOSTILE },
        dependency: { stap_version: HOSTILE, odb_version: HOSTILE },
        system_version: {
          kernel_package: HOSTILE,
          kernel_bid: HOSTILE,
          kernel_distro: HOSTILE,
          libc: HOSTILE,
          kernel: HOSTILE,
        },
      }),
    ];
    server.tokens = [apiToken(1, { name: HOSTILE, username: HOSTILE, token_tail: HOSTILE })];
    await using tui = renderTui({ server, columns: 160, rows: 40 });
    await tui.waitForText('1 of 1');
    tui.press('enter');
    await tui.waitForText('ERROR 1');
    tui.press('escape', '3');
    await tui.waitForText('Distribution');
    await tui.waitForText('1 of 1');
    tui.press('enter');
    await tui.waitForText('Last reported');
    tui.press('escape', '4');
    await tui.waitForText('Secret');
    await tui.waitForText('1 of 1');
    tui.press('e');
    await tui.waitForText('Change ');
    tui.press('escape', 'D');
    await tui.waitForText('Delete this API token?');
    server.refuse.set('/admin-api/api_token/1', { code: 'forbidden', message: HOSTILE });
    tui.press('y');
    await tui.waitForText('␛[31mred');

    // Sequences that Ink itself sends: cursor, erasing, styles, screen modes, and line ends.
    const own = new RegExp(`${ESC}\\[[0-9;]*[ABCDEFGHJKm]|${ESC}\\[\\?(?:25|1049|2004|2026)[hl]|\\r?\\n`, 'g');
    const rest = tui.raw().replaceAll(own, '');
    expect(rest).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
