// Saved views of lists, and bookmarks of their rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

const build = createBuilders();

describe('a saved view', () => {
  it('restores filter, order and columns, and is marked once they differ', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = await openTui('1 of 4', { server, columns: 120 });
    await tui.type('(((((').until('[CRIT or worse]');
    await tui.press('s', 'c').until('Count▼');
    await tui.type(':view save burning\r').until('Saved the view burning.', "'1 burning ");
    await tui.press('escape').until('1 of 4', "'1 burning* ");
    expect(tui.text()).not.toContain('Count▼');
    await tui.press("'", '1').until('[CRIT or worse]', 'Count▼');
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
    await using tui = await openTui('1 of 1', { server, columns: 120 });
    await tui.type(':lines /client:10.0.0.1\r').until('1 of 1');
    await tui.type("'s").until('name of the view:');
    await tui.type('first\r').until("Saved the view first. Press ' 1 to open it.");
    await tui.press('b', '0').until('2 of 2');
    await tui.press("'", '1').until('/client:10.0.0.1', '1 of 1');
    expect(tui.text()).toContain("'1 first ");
    expect(tui.text()).not.toContain('asked by 10.0.0.2');
  });

  it('restores the time range that the screens share', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3), columns: 120 });
    await tui.type(':since 2h\r').until('last 2h');
    await tui.type(':view save recent\r').until("'1 recent ");
    await tui.type(':alltime\r').until("'1 recent* ");
    await tui.waitForNoText('last 2h');
    await tui.type(':view recent\r').until('last 2h');
  });

  it('asks before another one is replaced', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3), columns: 120 });
    await tui.type(':view save mine\r').until('Saved the view mine.');
    await tui.type('(').until('or worse]');
    await tui.press("'", 's').until('name of the view: mine');
    await tui.press('enter').until('Replace the view?');
    await tui.press('n').until("'1 mine* ");
    await tui.press("'", 's', 'enter').until('Replace the view?');
    await tui.press('y').until("'1 mine ");
  });

  it('is listed, renamed, moved and deleted in a dialog', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3), columns: 120 });
    await tui.press("'", "'").until('No saved views yet');
    await tui.type(':view save one\r').until("'1 one ");
    await tui.type(':view save two\r').until("'2 two ");
    await tui.press("'", "'").until('Saved views');
    await tui.press('>').until("'1 two  '2 one");
    await tui.press('e').until('name of the view: one');
    await tui.type(' more\r').until("'2 one more");
    await tui.press('D').until('Delete the view?');
    await tui.press('y').untilGone('one more');
    await tui.press('escape', ':view three\r').until('No view is named three');
  });

  it('is there again after a restart, and so are bookmarks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-views-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const options = { server: serverWithErrors(3), columns: 120, folders: { config: folder, state: folder } };
    {
      await using tui = await openTui('3 groups', options);
      await tui.press('2').until('1 of 3');
      await tui.type('(').until('or worse]');
      await tui.type(':view save mine\r').until("'1 mine ");
      await tui.press('m').until('Set a bookmark');
    }
    await using tui = await openTui('3 groups', options);
    await tui.press('2').until("'1 mine ");
    await tui.waitFor('the mark', () => tui.selected().startsWith('▌★'));
    expect(tui.text()).not.toContain('or worse]');
    await tui.press("'", '1').until('or worse]');
  });

  it('belongs to its list: users have their own, with their facets', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2, { env: 'vm' })];
    await using tui = await openTui('● live', { server, columns: 120 });
    await tui.type(':agents env=vm\r').until('[env vm]');
    await tui.type(':view save vms\r').until("'1 vms ");
    await tui.press('escape').until('2 of 2');
    await tui.type(':view vms\r').until('[env vm]');
    await tui.press('2').until('No errors.');
    await tui.waitForNoText('vms');
  });
});

describe('a bookmark', () => {
  it('leads to an agent by its name and opens it', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2, { labels: { site: 'north' } }), agent(3)];
    await using tui = await openTui('● live', { server });
    await tui.press('3').until('1 of 3');
    await tui.press('j', 'm').until('Set a bookmark');
    await tui.press('2').until('No errors.');
    await tui.press("'", 'b', 'enter').until(/── host-02 ─/, '1 of 1');
  });

  it('marks its row and leads back to it from any screen', async () => {
    const server = new FakeServer();
    server.errlog = Array.from({ length: 500 }, (_, index) => entry(index + 1, { fingerprint: `f${index}` }));
    await using tui = await openTui('1 of 500', { server, columns: 100 });
    tui.press('G');
    await tui.waitFor('the last row', () => /error number 1[^\d]*$/.test(tui.selected()));
    tui.press('m');
    await tui.waitFor('the mark', () => tui.selected().startsWith('▌★'));
    await tui.type(':users\r').until('5 Users');
    await tui.press("'", 'b').until(/error number 1 +Error logs/);
    await tui.press('enter').until('ERROR 1 ─');
    await tui.waitFor('the row', () => tui.selected().startsWith('▌★'));
    await tui.press('m').until('Cleared the bookmark.');
    await tui.press("'", 'b').until('No bookmarks yet');
  });
});
