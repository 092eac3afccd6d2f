import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

/** True if the row of this entry is selected. */
const isOn = (tui: Tui, id: number): boolean => new RegExp(`error number ${id}[^\\d]*$`).test(tui.selected());

describe('the error logs', () => {
  it('say that there are none, and show the first one by itself', async () => {
    await using tui = await openTui('No errors.');
    expect(tui.text()).toContain('error_log syslog:server=');
    await tui.waitForText('● live');
    tui.server.add(entry(1, { log: 'the very first' }));
    await tui.waitForText('the very first');
  });

  it('show the newest first, and the last one on the server on G, with one request', async () => {
    const server = serverWithErrors(4_526);
    await using tui = await openTui('1 of 4,526', { server });
    await tui.waitForText('● live');
    expect(tui.selected()).toContain('error number 4526');
    server.isSlow = true;
    const before = server.seen.length;
    await tui.press('G').until('4,526 of 4,526', /▌ … loading/);
    server.isSlow = false;
    await tui.waitFor('the last one', () => isOn(tui, 1));
    const lists = server.seen.slice(before).filter(({ path }) => path === '/admin-api/log_server/errlog');
    expect(lists).toHaveLength(1);
    expect(tui.lines()[21]).toMatch(/┃$/);
    await tui.press('k').until('4,525 of 4,526');
    await tui.press('g', 'g').until('following');
    await tui.waitFor('the newest', () => isOn(tui, 4526));
  });

  it('stay at the end of the list while new groups come, and say why rows in view are missing', async () => {
    const server = serverWithErrors(1_000);
    await using tui = await openTui('● live', { server });
    tui.press('G');
    await tui.waitFor('the last one', () => isOn(tui, 1));
    server.add(entry(1_001, { log: 'fresh one' }));
    await tui.waitForText('1 new');
    expect(isOn(tui, 1)).toBe(true);
    server.refuse.set('/admin-api/log_server/errlog', { code: 'overloaded' });
    await tui.type('500k').until(/▌ … not loaded: .* Trying again/);
    server.refuse.clear();
    await tui.waitFor('that row', () => isOn(tui, 501));
    await tui.press('f').until('fresh one');
  });

  it('follow at first, hold still once a row is selected, and show what is new on f', async () => {
    await using tui = await openTui(/following.*1 of 50/, { server: serverWithErrors(50) });
    await tui.waitForText('● live');
    tui.server.add(entry(51, { log: 'fresh one' }));
    await tui.waitForText(/▌.*fresh one/, '1 of 51');
    await tui.type('jjjjjkk').until('4 of 51');
    expect(tui.selected()).toContain('error number 48');
    const before = tui.lines().slice(2, 9);
    tui.server.add(entry(52, { log: 'another one' }));
    await tui.waitForText('1 new');
    expect(tui.lines().slice(2, 9)).toEqual(before);
    // The row of a repeated group counts up where it is.
    tui.server.emit('errlog.repeated', entry(49, { count: 77, log_time: Math.floor(Date.now() / 1000) }));
    await tui.waitForText('2 new');
    expect(tui.lines().find((line) => line.includes('error number 49'))).toMatch(/77\s+web-1/);
    await tui.press('f').until('another one', 'following');
    expect(tui.text()).not.toContain('new  ');
  });

  it('narrow to a level or worse, and back on Esc', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(entry(10, { level: 8, log: 'chatter' }), entry(11, { level: 3, log: 'it burns' }));
    await using tui = await openTui('chatter', { server });
    await tui.type('(((((').until('[CRIT or worse]  1 of 1', 'it burns');
    expect(tui.text()).not.toContain('chatter');
    await tui.press(')').until('[ERROR or worse]  1 of 4');
    await tui.press('escape').until('1 of 5', 'chatter');
  });

  it('say that they are being read', async () => {
    const server = serverWithErrors(1);
    await using tui = await openTui('error number 1', { server });
    server.isSlow = true;
    await tui.type('(((((').until('CRIT or worse', 'Reading the error logs');
    server.isSlow = false;
    await tui.waitForText('1 hidden by [CRIT or worse]; Esc clears.');
  });

  it('leave out what was asked for before a filter was chosen, and is answered later', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    const { fetch } = server;
    const gate = Promise.withResolvers<void>();
    let lists = 0;
    Object.assign(server, {
      async fetch(...request: Parameters<typeof fetch>) {
        const answer = await fetch(...request);
        if (/\/errlog\?/.test(String(request[0])) && lists++ === 0) await gate.promise;
        return answer;
      },
    });
    await using tui = await openTui('● live', { server });
    await tui.type('(((((').until('[CRIT or worse]  1 of 1');
    gate.resolve();
    server.add(entry(10, { level: 3, log: 'it burns again' }));
    await tui.waitForText('it burns again');
    expect(tui.text()).not.toContain('error number');
    expect(tui.text()).toContain('1 of 2');
  });

  it('show the whole entry while the selection moves on', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(
      entry(9, { level: 3, count: 1204, log: 'first line\n\tindented second line\nthird line', app_id: 12 }),
    );
    await using tui = await openTui('● live', { server });
    await tui.press('enter').until('CRIT 9 ─');
    expect(tui.text()).toContain('1,204 times');
    expect(tui.text()).toContain('app 12');
    expect(tui.lines().some((line) => line.trim() === 'third line')).toBe(true);
    await tui.press('j').until('ERROR 3 ─');
    server.add(entry(12, { log: 'fresh one' }));
    await tui.waitForText('1 new');
    expect(tui.text()).toContain('ERROR 3 ─');
    expect(tui.text()).not.toContain('fresh one');
    await tui.press('escape').untilGone('ERROR 3 ─');
  });

  it('say why they cannot be read, keep the last rows while the server is away, and say how old those are', async () => {
    const server = serverWithErrors(3);
    server.refuse.set('/admin-api/log_server/errlog', { code: 'forbidden' });
    await using tui = await openTui('You do not have permission to do this.', { server });
    await tui.waitForText('Request req-1');
    server.refuse.clear();
    await tui.press('r').until('1 of 3', '● live');
    server.isDown = true;
    server.dropStreams();
    await tui.press('r').until(/\d+s old\. Cannot reach the server/, 'reconnecting');
    expect(tui.text()).toContain('error number 3');
    server.isDown = false;
    await tui.waitForText('● live');
    await tui.waitForNoText('Cannot reach');
  });

  it('find out what happened when the server says that it was too much, here and on another screen', async () => {
    const server = serverWithErrors(3);
    const burst = (id: number): void => {
      server.errlog.push(entry(id, { log: `burst ${id}` }));
      server.emit('resync', { reason: 'burst', of: 'errlog' });
    };
    await using tui = await openTui('● live', { server });
    burst(8);
    await tui.waitForText('burst 8', '1 of 4');
    await tui.press('7').untilGone('1 of 4');
    burst(9);
    await tui.press('2').until('burst 9');
    await tui.press('j').until('2 of 5');
    burst(10);
    await tui.waitForText('1 new  2 of 6');
    expect(tui.text()).not.toContain('burst 10');
    await tui.press('f').until('burst 10');
  });

  it('keep their columns straight with wide glyphs, and cut inside the screen', async () => {
    const server = new FakeServer();
    server.errlog = [
      entry(1, { source: '東京', log: '残高不足です '.repeat(20) }),
      entry(2, { source: 'web', log: 'plain' }),
      entry(3, { source: '大阪第二', log: '完了' }),
    ];
    await using tui = await openTui('1 of 3', { server });
    const head = tui.lines().findIndex((line) => line.includes('Message'));
    const message = tui.columnOf(head, 'Message');
    expect(message).toBeGreaterThan(0);
    expect([tui.columnOf(head + 1, '完了'), tui.columnOf(head + 2, 'plain'), tui.columnOf(head + 3, '残高')]).toEqual([
      message,
      message,
      message,
    ]);
    expect(tui.lines()[head + 3]).toMatch(/…$/);
    expect(tui.lines().at(-1)).toContain('? help');
  });

  it('keep their sources at 60 columns, also with times of another day', async () => {
    const server = new FakeServer();
    const yesterdayS = Math.floor(Date.now() / 1000) - 2 * 86_400;
    server.errlog = [entry(1, { log_time: yesterdayS, source: 'gateway-12', service: 'nginx' }), entry(2)];
    await using tui = await openTui('1 of 2', { server, columns: 60 });
    expect(tui.text()).toMatch(/Time +Level +Count +Source +Message/);
    expect(tui.text()).toMatch(/\d\d \d\d:\d\d +. \w+ +1 +gateway-1/);
  });

  it('fit into 200 columns with the details beside the list', async () => {
    await using tui = await openTui('1 of 80', { server: serverWithErrors(80), columns: 200, rows: 50 });
    await tui.press('enter').until('ERROR 80 ─');
    const row = tui.lines().find((line) => line.includes('ERROR 80 ─')) ?? '';
    expect(row).toContain('Message');
    expect(tui.lines().filter((line) => line.includes('error number')).length).toBeGreaterThan(40);
  });

  it('are left out for who may not read them', async () => {
    const server = serverWithErrors(3);
    server.permissions = ['agent:read'];
    server.agents = [agent(1)];
    await using tui = await openTui('1 host', { server });
    await tui.press('3').until('host-01');
    expect(tui.text()).not.toContain('Errors');
    await tui.press('2', '4', '?', 'go to').until('› go to');
    expect(tui.text()).not.toContain('Go to the error logs');
    expect(tui.text()).toContain('Go to the agents');
  });
});
