import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const many = (count: number): FakeServer => {
  const server = new FakeServer();
  server.errlog = Array.from({ length: count }, (_, index) => entry(index + 1));
  return server;
};

/** Text of the selected row. */
const selected = (lines: readonly string[]): string | undefined => lines.find((line) => line.startsWith('▌'));

/** True if the row of this entry is selected. */
const isOn = (tui: Tui, id: number): boolean =>
  new RegExp(`error number ${id}[^\\d]*$`).test(selected(tui.lines()) ?? '');

describe('the error logs', () => {
  it('say that they are being read', async () => {
    const server = many(1);
    await using tui = renderTui({ server });
    await tui.waitForText('error number 1');
    server.isSlow = true;
    tui.type('(((((');
    await tui.waitForText('CRIT or worse');
    expect(tui.text()).toContain('Reading the error logs');
    server.isSlow = false;
    await tui.waitForText('1 hidden by [CRIT or worse]; Esc clears.');
  });

  it('say that there are none, and show the first one by itself', async () => {
    await using tui = renderTui();
    await tui.waitForText('No errors.');
    expect(tui.text()).toContain('error_log syslog:server=');
    await tui.waitForText('● live');
    tui.server.add(entry(1, { log: 'the very first' }));
    await tui.waitForText('the very first');
  });

  it('show the newest first, and the last one on the server on G, with one request', async () => {
    const server = many(4_526);
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 4,526');
    await tui.waitForText('● live');
    expect(selected(tui.lines())).toContain('error number 4526');
    server.isSlow = true;
    const before = server.seen.length;
    tui.press('G');
    await tui.waitForText('4,526 of 4,526');
    await tui.waitForText(/▌ … loading/);
    server.isSlow = false;
    await tui.waitFor('the last one', () => isOn(tui, 1));
    const lists = server.seen.slice(before).filter(({ path }) => path === '/admin-api/log_server/errlog');
    expect(lists).toHaveLength(1);
    expect(tui.lines()[21]).toMatch(/┃$/);
    tui.press('k');
    await tui.waitForText('4,525 of 4,526');
    tui.press('g', 'g');
    await tui.waitForText('following');
    await tui.waitFor('the newest', () => isOn(tui, 4526));
  });

  it('go as far as a count or a held key says, through rows that are not loaded', async () => {
    await using tui = renderTui({ server: many(2_500) });
    await tui.waitForText('1 of 2,500');
    tui.type('2000j');
    await tui.waitForText('2,001 of 2,500');
    await tui.waitFor('that row', () => isOn(tui, 500));
    tui.type('j'.repeat(300));
    await tui.waitForText('2,301 of 2,500');
    await tui.waitFor('that row', () => isOn(tui, 200));
    for (let times = 0; times < 40; times += 1) tui.press('ctrl+d');
    await tui.waitForText('2,500 of 2,500');
    await tui.waitFor('the last row', () => isOn(tui, 1));
  });

  it('stay at the end of the list while new groups come, and say why rows in view are missing', async () => {
    const server = many(1_000);
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('G');
    await tui.waitFor('the last one', () => isOn(tui, 1));
    server.add(entry(1_001, { log: 'fresh one' }));
    await tui.waitForText('1 new');
    expect(isOn(tui, 1)).toBe(true);
    server.refuse.set('/admin-api/log_server/errlog', { code: 'overloaded' });
    tui.type('500k');
    await tui.waitForText(/▌ … not loaded: .* Trying again/);
    server.refuse.clear();
    await tui.waitFor('that row', () => isOn(tui, 501));
    tui.press('f');
    await tui.waitForText('fresh one');
  });

  it('say in their heading what they are sorted by, and turn that round on S', async () => {
    await using tui = renderTui({ server: many(3) });
    await tui.waitForText('1 of 3');
    tui.press('s', 'c');
    await tui.waitForText('Count▼');
    tui.press('S');
    await tui.waitForText('Count▲');
  });

  it('move by as many rows as keys came in one chunk', async () => {
    await using tui = renderTui({ server: many(50) });
    await tui.waitForText('1 of 50');
    tui.type('jjjjjkk');
    await tui.waitForText('4 of 50');
    expect(selected(tui.lines())).toContain('error number 47');
  });

  it('follow: new groups appear on top by themselves', async () => {
    await using tui = renderTui({ server: many(5) });
    await tui.waitForText(/following.*1 of 5/);
    await tui.waitForText('● live');
    tui.server.add(entry(6, { log: 'fresh one' }));
    await tui.waitForText(/▌.*fresh one/);
    await tui.waitForText('1 of 6');
  });

  it('hold still once a row is selected, count what is new, and show it on f', async () => {
    await using tui = renderTui({ server: many(5) });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 5');
    const before = tui.lines().slice(2, 9);
    tui.server.add(entry(6, { log: 'fresh one' }));
    tui.server.add(entry(7, { log: 'another one' }));
    await tui.waitForText('2 new');
    expect(tui.lines().slice(2, 9)).toEqual(before);
    tui.press('f');
    await tui.waitForText('another one');
    await tui.waitForText('following');
    expect(selected(tui.lines())).toContain('another one');
    expect(tui.text()).not.toContain('new  ');
  });

  it('count a repeated group up in its row without moving it', async () => {
    await using tui = renderTui({ server: many(5) });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 5');
    tui.server.emit('errlog.repeated', entry(2, { count: 77, log_time: Math.floor(Date.now() / 1000) }));
    await tui.waitForText('1 new');
    expect(tui.lines().find((line) => line.includes('error number 2'))).toMatch(/77\s+web-1/);
  });

  it('change nothing while paused', async () => {
    await using tui = renderTui({ server: many(5) });
    await tui.waitForText('● live');
    tui.press('=');
    await tui.waitForText('paused');
    const before = tui.lines().slice(2, 9);
    tui.server.add(entry(6, { log: 'fresh one' }));
    tui.server.emit('errlog.repeated', entry(2, { count: 77 }));
    await tui.waitForText('2 new');
    expect(tui.lines().slice(2, 9)).toEqual(before);
    tui.press('=');
    await tui.waitForText('fresh one');
    await tui.waitForText('following');
  });

  it('narrow to a level or worse, and back on Esc', async () => {
    const server = many(3);
    server.errlog.push(entry(10, { level: 8, log: 'chatter' }), entry(11, { level: 3, log: 'it burns' }));
    await using tui = renderTui({ server });
    await tui.waitForText('chatter');
    tui.type('(((((');
    await tui.waitForText('[CRIT or worse]  1 of 1');
    expect(tui.text()).toContain('it burns');
    expect(tui.text()).not.toContain('chatter');
    tui.press(')');
    await tui.waitForText('[ERROR or worse]  1 of 4');
    tui.press('escape');
    await tui.waitForText('1 of 5');
    expect(tui.text()).toContain('chatter');
  });

  it('leave out what was asked for before a filter was chosen, and is answered later', async () => {
    const server = many(3);
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
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type('(((((');
    await tui.waitForText('[CRIT or worse]  1 of 1');
    gate.resolve();
    server.add(entry(10, { level: 3, log: 'it burns again' }));
    await tui.waitForText('it burns again');
    expect(tui.text()).not.toContain('error number');
    expect(tui.text()).toContain('1 of 2');
  });

  it('show the whole entry while the selection moves on', async () => {
    const server = many(3);
    server.errlog.push(
      entry(9, { level: 3, count: 1204, log: 'first line\n\tindented second line\nthird line', app_id: 12 }),
    );
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 4');
    tui.press('enter');
    await tui.waitForText('CRIT 9 ─');
    expect(tui.text()).toContain('1,204 times');
    expect(tui.text()).toContain('app 12');
    expect(tui.lines().some((line) => line.trim() === 'third line')).toBe(true);
    tui.press('j');
    await tui.waitForText('ERROR 3 ─');
    tui.press('escape');
    await tui.waitForNoText('ERROR 3 ─');
    await tui.waitForText('2 of 4');
  });

  it('stay on the entry that is read when new ones come', async () => {
    await using tui = renderTui({ server: many(3) });
    await tui.waitForText('● live');
    tui.press('enter');
    await tui.waitForText('ERROR 3 ─');
    tui.server.add(entry(4, { log: 'fresh one' }));
    await tui.waitForText('1 new');
    expect(tui.text()).toContain('ERROR 3');
    expect(tui.text()).not.toContain('fresh one');
  });

  it('say why they cannot be read, and read them on r', async () => {
    const server = many(3);
    server.refuse.set('/admin-api/log_server/errlog', { code: 'forbidden' });
    await using tui = renderTui({ server });
    await tui.waitForText('You do not have permission to do this.');
    await tui.waitForText('Request req-1');
    server.refuse.clear();
    tui.press('r');
    await tui.waitForText('1 of 3');
  });

  it('keep the last rows when the server goes away, and say how old they are', async () => {
    const server = many(3);
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    server.isDown = true;
    server.dropStreams();
    tui.press('r');
    await tui.waitForText('Cannot reach the server');
    await tui.waitForText('reconnecting');
    expect(tui.text()).toMatch(/\d+s old\. Cannot reach the server/);
    expect(tui.text()).toContain('error number 3');
    server.isDown = false;
    await tui.waitForText('● live');
    await tui.waitForNoText('Cannot reach');
  });

  it('read everything again when the server says that too much happened', async () => {
    const server = many(3);
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    server.errlog.push(entry(8, { log: 'came in a burst' }));
    server.emit('resync', { reason: 'burst', of: 'errlog' });
    await tui.waitForText('came in a burst');
  });

  it('read what happened meanwhile when the screen is opened again', async () => {
    const server = many(3);
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    await tui.waitForText('1 of 3');
    tui.press('7');
    await tui.waitForNoText('1 of 3');
    server.errlog.push(entry(8, { log: 'came in a burst' }));
    server.emit('resync', { reason: 'burst', of: 'errlog' });
    tui.press('2');
    await tui.waitForText('came in a burst');
  });

  it('find out what happened while one reads further down and the server says that too much happened', async () => {
    const server = many(3);
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 3');
    server.errlog.push(entry(8, { log: 'came in a burst' }));
    server.emit('resync', { reason: 'burst', of: 'errlog' });
    await tui.waitForText('1 new  2 of 4');
    expect(tui.text()).not.toContain('came in a burst');
    tui.press('f');
    await tui.waitForText('came in a burst');
  });

  it('keep their columns straight with wide glyphs, and cut inside the screen', async () => {
    const server = new FakeServer();
    server.errlog = [
      entry(1, { source: '東京', log: '残高不足です '.repeat(20) }),
      entry(2, { source: 'web', log: 'plain' }),
      entry(3, { source: '大阪第二', log: '完了' }),
    ];
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 3');
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

  it('keep every row in its place where the terminal draws glyphs wider or narrower than we think', async () => {
    const server = new FakeServer();
    server.errlog = Array.from({ length: 10 }, (_, index) =>
      entry(index + 1, { log: `${index} 👩‍💻👩‍👩‍👧 ❤️ 🇩🇪 👍🏽 हिन्दी ก็ `.repeat(8) }),
    );
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 10');
    tui.press('j');
    await tui.waitForText('2 of 10');
    expect(
      tui
        .lines()
        .filter((line) => line.includes('👩'))
        .map((line) => /(\d) 👩/.exec(line)?.[1]),
    ).toEqual([...'9876543210']);
  });

  it('keep their sources at 60 columns, also with times of another day', async () => {
    const server = new FakeServer();
    const yesterdayS = Math.floor(Date.now() / 1000) - 2 * 86_400;
    server.errlog = [entry(1, { log_time: yesterdayS, source: 'gateway-12', service: 'nginx' }), entry(2)];
    await using tui = renderTui({ server, columns: 60 });
    await tui.waitForText('1 of 2');
    expect(tui.text()).toMatch(/Time +Level +Count +Source +Message/);
    expect(tui.text()).toMatch(/\d\d \d\d:\d\d +. \w+ +1 +gateway-1/);
  });

  it('fit into 200 columns with the details beside the list', async () => {
    await using tui = renderTui({ server: many(80), columns: 200, rows: 50 });
    await tui.waitForText('1 of 80');
    tui.press('enter');
    await tui.waitForText('ERROR 80 ─');
    const row = tui.lines().find((line) => line.includes('ERROR 80 ─')) ?? '';
    expect(row).toContain('Message');
    expect(tui.lines().filter((line) => line.includes('error number')).length).toBeGreaterThan(40);
  });

  it('are left out for who may not read them', async () => {
    const server = many(3);
    server.permissions = ['agent:read'];
    server.agents = [agent(1)];
    await using tui = renderTui({ server });
    await tui.waitForText('1 host');
    tui.press('3');
    await tui.waitForText('host-01');
    expect(tui.text()).not.toContain('Errors');
    tui.press('2', '4');
    tui.press('?');
    tui.type('go to');
    await tui.waitForText('› go to');
    expect(tui.text()).not.toContain('Go to the error logs');
    expect(tui.text()).toContain('Go to the agents');
  });
});
