// The screen of everything that is stored.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Line } from '@quarterdeck/core';
import { sendCommand, waysToSend } from '@quarterdeck/views/lines';
import { clock } from '@quarterdeck/views/text';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FakeServer } from './fake-server.ts';
import { line, openLines, startS, withLines } from './lines-screen.ts';
import { renderTui, type Tui } from './render-tui.tsx';

function add(server: FakeServer, added: Line): void {
  server.lines = [added, ...server.lines];
  server.emit('line', added);
}

/** Waits until the stream of lines is open beside the stream of all else. */
const isLive = (tui: Tui): Promise<void> => tui.waitFor('a stream of lines', () => tui.server.subscribers === 2);

describe('the lines', () => {
  it('begin with what is stored, the newest at the bottom, and go on with what arrives', async () => {
    const server = withLines(60);
    server.lines = server.lines.map((one) => (one.id === '50' ? { ...one, group: 2, level: 5 } : one));
    await using tui = await openLines(server);
    await tui.waitForText('following');
    expect(tui.selected()).toMatch(/ERROR +web-1 +nginx +10\.9\.8\.7 +upstream timed out/);
    expect(tui.lines()[2]).toMatch(/Time +Level +Host +Service +client +Text/);
    expect(tui.text()).toContain('Complete.');
    await isLive(tui);
    add(tui.server, line(61, { log: 'the very newest' }));
    await tui.waitForText(/▌.*the very newest/, '61 of 61');
  });

  it('wait while they are paused, and while another line is selected', async () => {
    await using tui = await openLines(withLines(60));
    await isLive(tui);
    await tui.press('=').until('paused');
    const before = tui.lines().slice(3, 20);
    add(tui.server, line(61, { log: 'came later' }));
    await tui.waitForText('1 new');
    expect(tui.lines().slice(3, 20)).toEqual(before);
    await tui.press('=').until(/▌.*came later/);
    await tui.press('k').until('60 of 61');
    add(tui.server, line(62, { log: 'came last' }));
    await tui.waitForText('1 new');
    await tui.press('f').until(/▌.*came last/);
  });

  it('read older ones up to the oldest, without moving the view', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    expect(tui.text()).toContain('older lines above');
    await tui.press('g', 'g').until('1 of 1,300', 'oldest line reached');
    expect(tui.selected()).toContain('number 1');
    await tui.press('G').until('1,000 of 1,000+');
    expect(tui.selected()).toContain('number 1300');
  });

  it('go back by as many rows as a count says, through lines that are not loaded', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    await tui.type('1200k').until('100 of 1,300');
    expect(tui.selected()).toContain('number 100');
  });

  it('show all fields of a line, and narrow by the selected one', async () => {
    await using tui = await openLines(withLines(20));
    await tui.press('enter').until('client   10.9.8.7');
    expect(tui.text()).toMatch(/Group +1/);
    await tui.press('tab', 'j').until('▌ client   10.9.8.7');
    await tui.press('b', 'b').until('/client:10.9.8.7', '12 of 12');
    await tui.press('b', 'n').until('No line matches client:10.9.8.7 -client:10.9.8.7.');
    expect(tui.text()).toContain('The sources have lines in this time, but none matches.');
    await tui.press('b', '0').until('20 of 20');
  });

  it('count the values of a field on the server, and show or hide one of them', async () => {
    await using tui = await openLines(withLines(20));
    await tui.waitForText('20 of 20');
    await tui.press('F').until('Count the values of a field');
    await tui.type('client').until('1 of 6');
    await tui.press('enter').until('client: 3 values in 20 lines');
    expect(tui.text()).toMatch(/10\.9\.8\.7 +━+ +12 +60%/);
    await tui.press('\u0018').until('/-client:10.9.8.7', '8 of 8');
  });

  it('show the lines before and after one on its host, and go back', async () => {
    const server = withLines(20);
    server.lines = server.lines.map((one) =>
      one.id === '12' ? { ...one, log: 'disk full', fields: {}, group: 2, service: 'kernel' } : one,
    );
    await using tui = await openLines(server);
    await tui.press('/', 'client:10.9.8.9', 'enter').until('4 of 4');
    await tui.press('k', 'w').until(/Lines › around/, 'disk full');
    expect(tui.selected()).toMatch(/^▌ › .*10\.9\.8\.9/);
    await tui.press('escape').until('3 of 4');
    expect(tui.text()).not.toContain('disk full');
  });

  it('go on before and after it as far as lines are stored', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    await tui.press('k', 'w').until('301 of 302');
    await tui.press('g', 'g').until('301 of 602');
    await tui.press('g', 'g').until('301 of 902');
    await tui.press('escape').until('499 of 500+');
  });

  it('are marked by bookmarks, which lead back to them', async () => {
    await using tui = await openLines(withLines(20));
    await tui.waitForText('20 of 20');
    await tui.press('k', 'k', 'm').until('Set a bookmark');
    await tui.press('1', "'", 'b').until('Bookmarks');
    expect(tui.text()).toContain('upstream timed out, number 18');
    await tui.press('enter').until(/Lines › around/);
    expect(tui.selected()).toContain('number 18');
    await tui.press('escape').until('18 of 20');
  });

  it('are saved as views with their filter and range', async () => {
    await using tui = await openLines(withLines(20), 120);
    await tui.type(':lines client:10.9.8.9\r').until('4 of 4');
    await tui.type(':since 2h\r').until('last 2h');
    await tui.type(':view save clients\r').until("'1 clients ");
    await tui.press('@', '0', 'b', '0').until('20 of 20', "'1 clients* ");
    await tui.press("'", '1').until('4 of 4', 'last 2h');
    await tui.press('escape').until('20 of 20');
  });

  it('are those of the time range, and follow only if it lasts until now', async () => {
    const server = withLines(20);
    server.lines = [line(99, { time: startS + 3_500, log: 'a minute ago' }), ...server.lines];
    await using tui = await openLines(server);
    await tui.waitForText('21 of 21');
    await tui.type(':since 10m\r').until(/following +1 of 1/);
    expect(tui.text()).toContain('a minute ago');
    await tui.type(':from 2h to 30m\r').until('20 of 20');
    await tui.waitForNoText('following');
    await tui.waitFor('no stream of lines', () => tui.server.subscribers === 1);
    await tui.type(':from 20m to 10m\r').until('No lines in this time.');
  });

  it.each([
    [':lines client:10.9.8.9 level:>=error', '/client:10.9.8.9 level:>=error', '4 of 4'],
    [':tail /number 7', '/number 7', '2 of 2'],
    [':lines /numb.r [78]$/', '/numb.r [78]$/', '2 of 2'],
  ])('are filtered by %s', async (command, filter, count) => {
    await using tui = await openLines(withLines(20));
    await tui.type(`${command}\r`).until(count);
    expect(tui.text()).toContain(filter);
  });

  it('go to a time', async () => {
    await using tui = await openLines(withLines(1_300));
    await tui.waitForText('500 of 500+');
    await tui.type(`:goto ${clock(new Date((startS + 100) * 1000))}\r`).until('100 of 1,300');
    expect(tui.selected()).toContain('number 100');
  });

  it('complete the values of a filter with their counts, and refuse one that cannot be read', async () => {
    await using tui = await openLines(withLines(20));
    await tui.type('/client:').until(/10\.9\.8\.7.*12/);
    await tui.press('ctrl+u', 'level:er').until(/error.*20/);
    await tui.press('ctrl+u', 'level:loud\r').until('At character 7 ("loud"): There is no such level.');
    expect(tui.text()).toContain('20 of 20');
  });

  it('show no position while a new filter cannot be read from the server', async () => {
    await using tui = await openLines(withLines(20));
    tui.server.isDown = true;
    await tui.type('/number\r').until('Cannot reach the server');
    expect(tui.text()).not.toContain('0 of 20');
    expect(tui.text()).not.toContain('Reading the lines');
  });

  it('say how to send the first one', async () => {
    const tui = renderTui();
    await using _ = tui;
    await tui.waitForText('● live');
    await tui.press('8').until('No lines yet.');
    const ways = waysToSend('http://quarterdeck.test').map(({ command }) => command);
    expect(tui.text()).toContain('error_log syslog:server=');
    for (const [index, way] of ways.entries()) {
      expect(tui.text().replaceAll(/\s+/g, ' ')).toContain(way);
      await tui.press('y', String(index + 1)).until(`Copied the command ${index + 1}.`);
      expect(tui.copied()).toBe(way);
    }
    await tui.press('a').until('A token that sends lines', tui.server.secret);
    await tui.press('c').until('Sent to the clipboard');
    expect(tui.copied()).toBe(` ${sendCommand('http://quarterdeck.test', tui.server.secret)}`);
    await tui.press('escape').untilGone('A token that sends lines');
    tui.server.lines = [line(1, { log: 'the very first' })];
    tui.server.emit('line', tui.server.lines[0]);
    await tui.waitForText(/▌.*the very first/);
    expect(tui.text()).not.toContain('No lines yet.');
    await tui.type('y1').until('y 1: Not possible now');
  });

  it('are exported to the path of the command, and replace a file only after a question', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-lines-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'a.csv');
    await using tui = await openLines(withLines(20));
    await tui.type(`:export ${path}\r`).until('Wrote the lines to');
    expect(readFileSync(path, 'utf8')).toContain('upstream timed out, number 20');
    await tui.type(`:export ${path}\r`).until('Replace the file?');
  });

  it('copy the text of a line', async () => {
    await using tui = await openLines(withLines(5));
    await tui.waitForText('5 of 5');
    await tui.press('y', 'y').until('Copied the text of the line.');
    expect(tui.copied()).toBe('upstream timed out, number 5');
  });
});
