import { afterEach, describe, expect, it, vi } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { openTui, type Tui, type TuiOptions } from './render-tui.tsx';

const HOUR_S = 3_600;
const nowS = (): number => Math.floor(Date.now() / 1000);
const two = (value: number): string => String(value).padStart(2, '0');
/** The date and time of a moment as they can be typed, local. */
function typed(unixS: number): string {
  const at = new Date(unixS * 1000);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** A group of long ago, one that happened then and now, and one of now. */
function server(): FakeServer {
  const created = new FakeServer();
  const now = nowS();
  const old = { first_seen: now - 90 * HOUR_S };
  created.errlog = [
    entry(1, { log: 'only long ago', log_time: now - 80 * HOUR_S, ...old }),
    entry(2, {
      log: 'took 9 ms',
      count: 904,
      log_time: now - 60,
      ...old,
      count_in_range: 17,
      log_in_range: 'took 3 ms',
    }),
    entry(3, { log: 'only now', log_time: now - 120, first_seen: now - 120 }),
  ];
  return created;
}

const open = (options: TuiOptions = {}): Promise<Tui> => openTui('● live', { server: server(), ...options });

const rowOf = (tui: Tui, text: string): string | undefined => tui.lines().find((line) => line.includes(text));

afterEach(() => void vi.unstubAllEnvs());

describe('the time range', () => {
  it('limits rows, counts and messages, and stands in the header until @0', async () => {
    await using tui = await open();
    await tui.waitForText('1 of 3');
    expect(rowOf(tui, 'took 9 ms')).toContain('904');
    await tui.press(':', 'since 2h', 'enter').until('last 2h  following  1 of 2');
    expect(tui.lines()[1]).toContain('last 2h');
    expect(rowOf(tui, 'took 3 ms')).toMatch(/ 17 +web-1/);
    expect(tui.text()).not.toMatch(/took 9 ms|only long ago/);
    await tui.press('(').until('last 2h  following  [INFO or worse]');
    await tui.press('escape').until('last 2h  following  1 of 2');
    await tui.press('@', '0').until('following  1 of 3');
    expect(tui.text()).not.toContain('last 2h');
  });

  it('tells in the details what is in the range and what is ever', async () => {
    await using tui = await open({ rows: 40 });
    await tui.press(':', 'since 2h', 'enter').until('1 of 2');
    await tui.press('enter').until(/In range +17 times in the last 2h/, /Happened +904 times ever/);
  });

  it('shows nothing new in a span that is over', async () => {
    const fake = server();
    await using tui = await open({ server: fake });
    tui.press(':', `from ${typed(nowS() - 100 * HOUR_S)} to ${typed(nowS() - 70 * HOUR_S)}`, 'enter');
    await tui.waitForText('only long ago', '1 of 1');
    expect(tui.lines()[1]).toMatch(/ – /);
    expect(tui.text()).not.toContain('following');
    fake.add(entry(9, { log: 'happens now', log_time: nowS(), first_seen: nowS() }));
    fake.emit('errlog.repeated', entry(1, { log: 'again', count: 50, log_time: nowS(), state: 'regressed' }));
    await tui.press(':', 'since 1h', 'enter').until('happens now');
    expect(tui.text()).not.toContain('only long ago');
  });

  it('moves a row up that happens within the last hour', async () => {
    const fake = server();
    await using tui = await open({ server: fake });
    await tui.press('@', 'h').until('last 1h  following  1 of 2');
    fake.emit('errlog.repeated', entry(3, { log: 'only now', count: 5, log_time: nowS(), first_seen: nowS() - 120 }));
    await tui.waitForText(/▌.* 5 +web-1 +only now/);
  });

  it('says that the server sorts by the counts of all times', async () => {
    await using tui = await open();
    await tui.press('s', 'c', '@', 'h').until('last 1h  following  [by count of all times]');
  });

  it('moves with the time: once a minute, old rows leave it', async () => {
    const fake = server();
    await using tui = await open({ server: fake });
    await tui.press('@', 'h').until('last 1h  following  1 of 2');
    fake.errlog = fake.errlog.slice(1, 2);
    await tui.waitForText('last 1h  following  1 of 1');
  });

  it('says what is allowed when it is mistyped', async () => {
    await using tui = await open();
    tui.press(':', 'since whenever', 'enter');
    await tui.waitForText('"whenever" is not a time. Allowed: 2h, 10:35, yesterday 10:35');
    tui.press(':', 'range some day', 'enter');
    await tui.waitForText('"some day" is not a time range. Allowed: 2h, since 10:00, 10:00 to 11:02');
    expect(tui.lines()[1]).toContain('1 of 3');
  });

  it('shows its meaning while it is typed, and completes', async () => {
    await using tui = await open();
    await tui.press(':', 'since 90m').until(/:since 90m +last 1h30m/);
    await tui.press('escape', ':', 'since yest', 'tab').until(/:since yesterday +since /);
  });

  it('is chosen from a list, or typed', async () => {
    await using tui = await open();
    await tui.press('@', '@').until('Time range · now all times');
    await tui.press('7 days', 'enter').until('last 7d');
    await tui.press('@', 't').until('time range:');
    await tui.type('45m').until(/time range: 45m +last 45m/);
    await tui.press('enter').until('last 45m  following');
  });

  it('says that it is why there are no rows', async () => {
    const fake = server();
    fake.errlog = fake.errlog.slice(0, 1);
    await using tui = await open({ server: fake });
    await tui.press(':', 'since 1h', 'enter').until('No errors in the last 1h.', 'Press @ 0 to see all times');
  });

  it('becomes the time of the chart', async () => {
    await using tui = await open();
    await tui.press('@', 'c').until('last 1d');
    await tui.press('@', 'h', '{', '@', 'c').until(/\d\d:\d\d – .*\d\d:\d\d/);
  });

  it('limits a change of all that match', async () => {
    const fake = server();
    await using tui = await open({ server: fake });
    await tui.press('@', 'h').until('last 1h');
    await tui.press('B').until('Groups that match: last 1h.');
    tui.press('enter');
    await tui.waitFor('a dry run', () => fake.seen.some(({ path }) => path.endsWith('/errlog/bulk')));
    const { body } = fake.seen.find(({ path }) => path.endsWith('/errlog/bulk')) ?? {};
    expect(body).toMatchObject({ filter: { start_time: expect.any(Number) }, dry_run: true });
  });

  it('is that of the overview too, which names it', async () => {
    await using tui = await open({ rows: 40 });
    await tui.press('@', 'd', '1').until('Most frequent · last 1d', 'Errors · last 1d');
    expect(tui.lines()[1]).toContain('last 1d');
    // The range concerns no other screen.
    await tui.press('3').until('3 Agents');
    expect(tui.lines()[1]).not.toContain('last 1d');
  });
});

describe('the chart', () => {
  it('has a scale and times with their zone, and marks a spike instead of flattening the rest', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const fake = new FakeServer();
    const usual = Array.from({ length: 30 }, (_, n) => entry(n + 2, { log_time: nowS() - n * 2_400 }));
    const at = nowS() - 3_000;
    fake.errlog = [entry(1, { count: 4_000, log_time: at, first_seen: at - 60 }), ...usual];
    await using tui = await open({ server: fake });
    await tui.press('i').until(/peak [34],\d{3}, (\w{3} \d+ )?\d\d:\d[05]-\d\d:\d[05]$/m);
    const chart = tui.lines().slice(2, 7);
    expect(chart[0]).toMatch(/^ +\d┤.*▲/);
    expect(chart[2]).toMatch(/^ +0┤/);
    // The other errors are visible beside the spike.
    expect(chart[1]?.replaceAll(/[^⡀-⣿]/gu, '').length).toBeGreaterThan(5);
    expect(chart[3]).toMatch(/^ GMT\+9 .*╵\d\d:\d\d.* now$/);
    expect(chart[4]).toContain('■ ERROR');
    expect(tui.lines()[7]).toContain('Message');
  });
});

describe('going to a time', () => {
  it('selects the first row at that moment or before it', async () => {
    const fake = new FakeServer();
    const at = nowS() - 10_000;
    fake.errlog = Array.from({ length: 40 }, (_, index) => entry(index + 1, {}, at));
    await using tui = await open({ server: fake });
    await tui.waitForText('1 of 40');
    await tui.press(':', `goto ${typed(at + 25)}`, 'enter').until('16 of 40');
    expect(tui.lines().find((line) => line.startsWith('▌'))).toContain('error number 25');
    await tui.press('@', 'g', 'yesterday 00:00', 'enter').until('40 of 40', 'this is the last one');
  });
});

describe('the time zone', () => {
  it('is shown, and switched between local and UTC on every screen', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const fake = new FakeServer();
    const midnight = Math.floor(nowS() / 86_400) * 86_400;
    fake.errlog = [entry(1, { log_time: midnight - 3 * HOUR_S })];
    await using tui = await open({ server: fake });
    await tui.waitForText('error number 1');
    expect(tui.lines()[0]).toMatch(/GMT\+9$/);
    expect(rowOf(tui, 'error number 1')).toContain('06:00');
    await tui.press('@', 'z').until('All times are in UTC.');
    expect(tui.lines()[0]).toMatch(/UTC$/);
    expect(rowOf(tui, 'error number 1')).toContain('21:00');
    await tui.press(':', 'zone local', 'enter').until('All times are in GMT+9, the local zone.');
    expect(rowOf(tui, 'error number 1')).toContain('06:00');
    await tui.press(':', 'zone mars', 'enter').until('Zones: local, utc.');
  });

  it('is kept in the settings, and typed times are in it', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    await using tui = await open({ settings: { zone: 'utc' } });
    expect(tui.lines()[0]).toMatch(/UTC$/);
    const utc = new Date().toISOString();
    await tui.press(':', `since ${utc.slice(0, 10)} ${utc.slice(11, 16)}`, 'enter').until(`since ${utc.slice(11, 16)}`);
  });
});
