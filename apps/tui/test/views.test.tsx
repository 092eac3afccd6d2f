// Saved views of lists, and bookmarks of their rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const build = createBuilders();

const selected = (tui: Tui): string => tui.lines().find((line) => line.startsWith('▌')) ?? '';

describe('a saved view', () => {
  it('restores filter, order and columns, and is marked once they differ', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = renderTui({ server, columns: 120 });
    await tui.waitForText('1 of 4');
    tui.type('(((((');
    await tui.waitForText('[CRIT or worse]');
    tui.press('s', 'c');
    await tui.waitForText('Count▼');
    tui.type(':view save burning\r');
    await tui.waitForText('Saved the view burning.');
    await tui.waitForText("'1 burning ");
    tui.press('escape');
    await tui.waitForText('1 of 4');
    await tui.waitForText("'1 burning* ");
    expect(tui.text()).not.toContain('Count▼');
    tui.press("'", '1');
    await tui.waitForText('[CRIT or worse]');
    await tui.waitForText('Count▼');
    await tui.waitForNoText('burning*');
  });

  it('restores the filter of the lines', async () => {
    const server = serverWithErrors(1);
    server.lines = [2, 1]
      .map((n) => [n, `10.0.0.${n}`] as const)
      .map(([n, client]) =>
        build.line({
          id: String(n),
          time: Math.floor(Date.now() / 1000) - 100 + n,
          log: `asked by ${client}`,
          fields: { client },
        }),
      );
    await using tui = renderTui({ server, columns: 120 });
    await tui.waitForText('1 of 1');
    tui.type(':lines /client:10.0.0.1\r');
    await tui.waitForText('1 of 1');
    tui.type("'s");
    await tui.waitForText('name of the view:');
    tui.type('first\r');
    await tui.waitForText("Saved the view first. Press ' 1 to open it.");
    tui.press('b', '0');
    await tui.waitForText('2 of 2');
    tui.press("'", '1');
    await tui.waitForText('/client:10.0.0.1');
    await tui.waitForText('1 of 1');
    expect(tui.text()).toContain("'1 first ");
    expect(tui.text()).not.toContain('asked by 10.0.0.2');
  });

  it('restores the time range that the screens share', async () => {
    await using tui = renderTui({ server: serverWithErrors(3), columns: 120 });
    await tui.waitForText('1 of 3');
    tui.type(':since 2h\r');
    await tui.waitForText('last 2h');
    tui.type(':view save recent\r');
    await tui.waitForText("'1 recent ");
    tui.type(':alltime\r');
    await tui.waitForText("'1 recent* ");
    await tui.waitForNoText('last 2h');
    tui.type(':view recent\r');
    await tui.waitForText('last 2h');
  });

  it('asks before another one is replaced', async () => {
    await using tui = renderTui({ server: serverWithErrors(3), columns: 120 });
    await tui.waitForText('1 of 3');
    tui.type(':view save mine\r');
    await tui.waitForText('Saved the view mine.');
    tui.type('(');
    await tui.waitForText('or worse]');
    tui.press("'", 's');
    await tui.waitForText('name of the view: mine');
    tui.press('enter');
    await tui.waitForText('Replace the view?');
    tui.press('n');
    await tui.waitForText("'1 mine* ");
    tui.press("'", 's', 'enter');
    await tui.waitForText('Replace the view?');
    tui.press('y');
    await tui.waitForText("'1 mine ");
  });

  it('is listed, renamed, moved and deleted in a dialog', async () => {
    await using tui = renderTui({ server: serverWithErrors(3), columns: 120 });
    await tui.waitForText('1 of 3');
    tui.press("'", "'");
    await tui.waitForText('No saved views yet');
    tui.type(':view save one\r');
    await tui.waitForText("'1 one ");
    tui.type(':view save two\r');
    await tui.waitForText("'2 two ");
    tui.press("'", "'");
    await tui.waitForText('Saved views');
    tui.press('>');
    await tui.waitForText("'1 two  '2 one");
    tui.press('e');
    await tui.waitForText('name of the view: one');
    tui.type(' more\r');
    await tui.waitForText("'2 one more");
    tui.press('D');
    await tui.waitForText('Delete the view?');
    tui.press('y');
    await tui.waitForNoText('one more');
    tui.press('escape');
    tui.type(':view three\r');
    await tui.waitForText('No view is named three');
  });

  it('is there again after a restart, and so are bookmarks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-views-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const options = { server: serverWithErrors(3), columns: 120, folders: { config: folder, state: folder } };
    {
      await using tui = renderTui(options);
      await tui.waitForText('3 groups');
      tui.press('2');
      await tui.waitForText('1 of 3');
      tui.type('(');
      await tui.waitForText('or worse]');
      tui.type(':view save mine\r');
      await tui.waitForText("'1 mine ");
      tui.press('m');
      await tui.waitForText('Set a bookmark');
    }
    await using tui = renderTui(options);
    await tui.waitForText('3 groups');
    tui.press('2');
    await tui.waitForText("'1 mine ");
    await tui.waitFor('the mark', () => selected(tui).startsWith('▌★'));
    expect(tui.text()).not.toContain('or worse]');
    tui.press("'", '1');
    await tui.waitForText('or worse]');
  });

  it('belongs to its list: users have their own, with their facets', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2, { env: 'vm' })];
    await using tui = renderTui({ server, columns: 120 });
    await tui.waitForText('● live');
    tui.type(':agents env=vm\r');
    await tui.waitForText('[env vm]');
    tui.type(':view save vms\r');
    await tui.waitForText("'1 vms ");
    tui.press('escape');
    await tui.waitForText('2 of 2');
    tui.type(':view vms\r');
    await tui.waitForText('[env vm]');
    tui.press('2');
    await tui.waitForText('No errors.');
    await tui.waitForNoText('vms');
  });
});

describe('a bookmark', () => {
  it('leads to an agent by its name and opens it', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2, { labels: { site: 'north' } }), agent(3)];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('3');
    await tui.waitForText('1 of 3');
    tui.press('j', 'm');
    await tui.waitForText('Set a bookmark');
    tui.press('2');
    await tui.waitForText('No errors.');
    tui.press("'", 'b', 'enter');
    await tui.waitForText(/── host-02 ─/);
    await tui.waitForText('1 of 1');
  });

  it('marks its row and leads back to it from any screen', async () => {
    const server = new FakeServer();
    server.errlog = Array.from({ length: 500 }, (_, index) => entry(index + 1, { fingerprint: `f${index}` }));
    await using tui = renderTui({ server, columns: 100 });
    await tui.waitForText('1 of 500');
    tui.press('G');
    await tui.waitFor('the last row', () => /error number 1[^\d]*$/.test(selected(tui)));
    tui.press('m');
    await tui.waitFor('the mark', () => selected(tui).startsWith('▌★'));
    tui.type(':users\r');
    await tui.waitForText('5 Users');
    tui.press("'", 'b');
    await tui.waitForText(/error number 1 +Error logs/);
    tui.press('enter');
    await tui.waitForText('ERROR 1 ─');
    await tui.waitFor('the row', () => selected(tui).startsWith('▌★'));
    tui.press('m');
    await tui.waitForText('Cleared the bookmark.');
    tui.press("'", 'b');
    await tui.waitForText('No bookmarks yet');
  });
});
