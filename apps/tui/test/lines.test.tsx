// The screen of everything that is stored.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Line } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clock } from '../src/text/format.ts';
import type { FakeServer } from './fake-server.ts';
import { line, openLines, startS, withLines } from './lines-screen.ts';
import { renderTui, type Tui } from './render-tui.tsx';

function add(server: FakeServer, added: Line): void {
  server.lines = [added, ...server.lines];
  server.emit('line', added);
}

const selected = (tui: Tui): string | undefined => tui.lines().find((row) => row.startsWith('▌'));

/** Waits until the stream of lines is open beside the stream of all else. */
const isLive = (tui: Tui): Promise<void> => tui.waitFor('a stream of lines', () => tui.server.subscribers === 2);

describe('the lines', () => {
  it('begin with what is stored, the newest at the bottom, and go on with what arrives', async () => {
    const server = withLines(60);
    server.lines = server.lines.map((one) => (one.id === '50' ? { ...one, group: 2, level: 5 } : one));
    await using tui = await openLines(server);
    await tui.waitForText('following');
    expect(selected(tui)).toMatch(/ERROR +web-1 +nginx +10\.9\.8\.7 +upstream timed out/);
    expect(tui.lines()[2]).toMatch(/Time +Level +Host +Service +client +Text/);
    expect(tui.text()).toContain('Complete.');
    await isLive(tui);
    add(tui.server, line(61, { log: 'the very newest' }));
    await tui.waitForText(/▌.*the very newest/);
    await tui.waitForText('61 of 61');
  });

  it('wait while they are paused, and while another line is selected', async () => {
    await using tui = await openLines(withLines(60));
    await isLive(tui);
    await tui.waitForText('following');
    tui.press('=');
    await tui.waitForText('paused');
    const before = tui.lines().slice(3, 20);
    add(tui.server, line(61, { log: 'came later' }));
    await tui.waitForText('1 new');
    expect(tui.lines().slice(3, 20)).toEqual(before);
    tui.press('=');
    await tui.waitForText(/▌.*came later/);
    tui.press('k');
    await tui.waitForText('60 of 61');
    add(tui.server, line(62, { log: 'came last' }));
    await tui.waitForText('1 new');
    tui.press('f');
    await tui.waitForText(/▌.*came last/);
  });

  it('read older ones up to the oldest, without moving the view', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    expect(tui.text()).toContain('older lines above');
    tui.press('g', 'g');
    await tui.waitForText('1 of 1,300');
    await tui.waitForText('oldest line reached');
    expect(selected(tui)).toContain('number 1');
    tui.press('G');
    await tui.waitForText('1,000 of 1,000+');
    expect(selected(tui)).toContain('number 1300');
  });

  it('go back by as many rows as a count says, through lines that are not loaded', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    tui.type('1200k');
    await tui.waitForText('100 of 1,300');
    expect(selected(tui)).toContain('number 100');
  });

  it('show all fields of a line, and narrow by the selected one', async () => {
    await using tui = await openLines(withLines(20));
    tui.press('enter');
    await tui.waitForText('client   10.9.8.7');
    expect(tui.text()).toMatch(/Group +1/);
    tui.press('tab', 'j');
    await tui.waitForText('▌ client   10.9.8.7');
    tui.press('b', 'b');
    await tui.waitForText('/client:10.9.8.7');
    await tui.waitForText('12 of 12');
    tui.press('b', 'n');
    await tui.waitForText('No line matches client:10.9.8.7 -client:10.9.8.7.');
    expect(tui.text()).toContain('The sources have lines in this time, but none matches.');
    tui.press('b', '0');
    await tui.waitForText('20 of 20');
  });

  it('count the values of a field on the server, and show or hide one of them', async () => {
    await using tui = await openLines(withLines(20));
    await tui.waitForText('20 of 20');
    tui.press('F');
    await tui.waitForText('Count the values of a field');
    tui.type('client');
    await tui.waitForText('1 of 6');
    tui.press('enter');
    await tui.waitForText('client: 3 values in 20 lines');
    expect(tui.text()).toMatch(/10\.9\.8\.7 +━+ +12 +60%/);
    tui.press('\u0018');
    await tui.waitForText('/-client:10.9.8.7');
    await tui.waitForText('8 of 8');
  });

  it('show the lines before and after one on its host, and go back', async () => {
    const server = withLines(20);
    server.lines = server.lines.map((one) =>
      one.id === '12' ? { ...one, log: 'disk full', fields: {}, group: 2, service: 'kernel' } : one,
    );
    await using tui = await openLines(server);
    tui.press('/');
    tui.type('client:10.9.8.9');
    tui.press('enter');
    await tui.waitForText('4 of 4');
    tui.press('k', 'w');
    await tui.waitForText(/Lines › around/);
    await tui.waitForText('disk full');
    expect(selected(tui)).toMatch(/^▌ › .*10\.9\.8\.9/);
    tui.press('escape');
    await tui.waitForText('3 of 4');
    expect(tui.text()).not.toContain('disk full');
  });

  it('go on before and after it as far as lines are stored', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    tui.press('k', 'w');
    await tui.waitForText('301 of 302');
    tui.press('g', 'g');
    await tui.waitForText('301 of 602');
    tui.press('g', 'g');
    await tui.waitForText('301 of 902');
    tui.press('escape');
    await tui.waitForText('499 of 500+');
  });

  it('are marked by bookmarks, which lead back to them', async () => {
    await using tui = await openLines(withLines(20));
    await tui.waitForText('20 of 20');
    tui.press('k', 'k', 'm');
    await tui.waitForText('Set a bookmark');
    tui.press('1', "'", 'b');
    await tui.waitForText('Bookmarks');
    expect(tui.text()).toContain('upstream timed out, number 18');
    tui.press('enter');
    await tui.waitForText(/Lines › around/);
    expect(selected(tui)).toContain('number 18');
    tui.press('escape');
    await tui.waitForText('18 of 20');
  });

  it('are saved as views with their filter and range', async () => {
    await using tui = await openLines(withLines(20), 120);
    tui.type(':lines client:10.9.8.9\r');
    await tui.waitForText('4 of 4');
    tui.type(':since 2h\r');
    await tui.waitForText('last 2h');
    tui.type(':view save clients\r');
    await tui.waitForText("'1 clients ");
    tui.press('@', '0', 'b', '0');
    await tui.waitForText('20 of 20');
    await tui.waitForText("'1 clients* ");
    tui.press("'", '1');
    await tui.waitForText('4 of 4');
    await tui.waitForText('last 2h');
    tui.press('escape');
    await tui.waitForText('20 of 20');
  });

  it('are those of the time range, and follow only if it lasts until now', async () => {
    const server = withLines(20);
    server.lines = [line(99, { time: startS + 3_500, log: 'a minute ago' }), ...server.lines];
    await using tui = await openLines(server);
    await tui.waitForText('21 of 21');
    tui.type(':since 10m\r');
    await tui.waitForText(/following +1 of 1/);
    expect(tui.text()).toContain('a minute ago');
    tui.type(':from 2h to 30m\r');
    await tui.waitForText('20 of 20');
    await tui.waitForNoText('following');
    await tui.waitFor('no stream of lines', () => tui.server.subscribers === 1);
    tui.type(':from 20m to 10m\r');
    await tui.waitForText('No lines in this time.');
  });

  it.each([
    [':lines client:10.9.8.9 level:>=error', '/client:10.9.8.9 level:>=error', '4 of 4'],
    [':tail /number 7', '/number 7', '2 of 2'],
    [':lines /numb.r [78]$/', '/numb.r [78]$/', '2 of 2'],
  ])('are filtered by %s', async (command, filter, count) => {
    await using tui = await openLines(withLines(20));
    tui.type(`${command}\r`);
    await tui.waitForText(count);
    expect(tui.text()).toContain(filter);
  });

  it('go to a time', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    tui.type(`:goto ${clock(new Date((startS + 100) * 1000))}\r`);
    await tui.waitForText('100 of 1,300');
    expect(selected(tui)).toContain('number 100');
  });

  it('complete the values of a field with their counts', async () => {
    await using tui = await openLines(withLines(20));
    tui.press('/');
    tui.type('client:');
    await tui.waitForText(/10\.9\.8\.7.*12/);
  });

  it('complete levels with the number of lines', async () => {
    await using tui = await openLines(withLines(20));
    tui.press('/');
    tui.type('level:er');
    await tui.waitForText(/error.*20/);
  });

  it('refuse a filter that cannot be read, with the place of the mistake', async () => {
    await using tui = await openLines(withLines(5));
    tui.press('/');
    tui.type('level:loud');
    tui.press('enter');
    await tui.waitForText('At character 7 ("loud"): There is no such level.');
    expect(tui.text()).toContain('5 of 5');
  });

  it('show no position while a new filter cannot be read from the server', async () => {
    await using tui = await openLines(withLines(20));
    tui.server.isDown = true;
    tui.type('/number\r');
    await tui.waitForText('Cannot reach the server');
    expect(tui.text()).not.toContain('0 of 20');
    expect(tui.text()).not.toContain('Reading the lines');
  });

  it('say how to send the first one', async () => {
    const tui = renderTui();
    await using _ = tui;
    await tui.waitForText('● live');
    tui.press('8');
    await tui.waitForText('No lines yet.');
    const screen = tui.text();
    expect(screen).toContain('error_log syslog:server=');
    expect(screen).toContain(`curl -H "API-Token: $TOKEN" --json '{"log":"hello"}' \\`);
    expect(screen).toMatch(/^ *http\S+\/admin-api\/log_server\/errlog *$/m);
  });

  it('are exported to the path of the command, and replace a file only after a question', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-lines-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'a.csv');
    await using tui = await openLines(withLines(20));
    tui.type(`:export ${path}\r`);
    await tui.waitForText('Wrote the lines to');
    expect(readFileSync(path, 'utf8')).toContain('upstream timed out, number 20');
    tui.type(`:export ${path}\r`);
    await tui.waitForText('Replace the file?');
  });

  it('copy the text of a line', async () => {
    await using tui = await openLines(withLines(5));
    await tui.waitForText('5 of 5');
    tui.press('y', 'y');
    await tui.waitForText('Copied the text of the line.');
    expect(tui.raw()).toContain(Buffer.from('upstream timed out, number 5').toString('base64'));
  });
});
