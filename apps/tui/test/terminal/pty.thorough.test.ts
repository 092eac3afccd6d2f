// The built dashboard in a real pty: it restores the terminal however it ends, lends it and takes it back, and survives
// slow terminals and changes of the size.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entry, FakeServer } from '../fake-server.ts';
import { serve } from '../serve.ts';
import { isBuilt, type Pty, startPty, UNTOUCHED } from './pty.ts';
import { running, toErrors } from './running.ts';

const isCi = Boolean(process.env['CI']);

/** A module that is loaded first and crashes the program on demand. */
const breaking = (how: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${how} })`)}`;

/** Waits for the end of the dashboard, after which the terminal is as it was. */
async function expectGivenBack({ exit, screen, modes }: Pty, exitCode: number): Promise<void> {
  expect(await exit).toMatchObject({ exitCode });
  await screen.settled();
  expect(modes()).toEqual(UNTOUCHED);
}

if (!isBuilt && isCi) {
  it('has what it needs', () => {
    throw new Error('the dashboard is not built: run the build first');
  });
}

describe.skipIf(!isBuilt)('the terminal', () => {
  it('uses the replaced parts of Ink', () => {
    const chunks = new URL('../../dist/chunks/', import.meta.url);
    const parts = readdirSync(chunks)
      .filter((name) => name.endsWith('.map'))
      .flatMap((name) => (JSON.parse(readFileSync(new URL(name, chunks), 'utf8')) as { sources: string[] }).sources);
    const has = (part: string): boolean => parts.some((name) => name.endsWith(part));
    expect({
      width: has('/src/text/quick-width.ts'),
      output: has('/src/terminal/ink-output.ts'),
      theirs: has('/ink/build/output.js'),
    }).toEqual({ width: true, output: true, theirs: false });
  });

  it('shows something before the dashboard is loaded', async () => {
    await using on = await running();
    const first = on.dashboard.raw().indexOf('Starting…');
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(on.dashboard.raw().indexOf('live'));
    expect(on.dashboard.modes()).toEqual({ alternate: true, wraps: false, pastes: true, cursor: false, mouse: false });
    expect(on.dashboard.text()).not.toContain('Starting…');
  });

  it.each([
    ['Q', 'Q', 0],
    ['Ctrl-C', '\u0003', 0],
  ])('is given back after %s', async (_name, key, exitCode) => {
    await using on = await running();
    on.dashboard.type(key);
    await expectGivenBack(on.dashboard, exitCode);
    expect(on.dashboard.text().trim()).toBe('');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('is given back on %s', async (signal, exitCode) => {
    await using on = await running();
    process.kill(on.dashboard.pty.pid, signal);
    await expectGivenBack(on.dashboard, exitCode);
  });

  it.each([
    ['an exception', `setTimeout(() => { throw new Error('it broke \\u001B[2J') })`],
    ['a rejected promise', `Promise.reject(new Error('it broke \\u001B[2J'))`],
  ])('is given back after %s, with what happened in plain text', async (_name, how) => {
    await using on = await running({ NODE_OPTIONS: breaking(how) });
    process.kill(on.dashboard.pty.pid, 'SIGUSR2');
    await expectGivenBack(on.dashboard, 1);
    expect(on.dashboard.text()).toContain('quarterdeck: internal error');
    expect(on.dashboard.text()).toContain('it broke ␛[2J');
  });

  it('is restored when the process exits at once', async () => {
    await using on = await running({ NODE_OPTIONS: breaking('process.exit(7)') });
    process.kill(on.dashboard.pty.pid, 'SIGUSR2');
    await expectGivenBack(on.dashboard, 7);
  });

  it('is given back after an answer that cannot be drawn', async () => {
    await using on = await running();
    const { log: _, ...broken } = entry(1);
    on.server.errlog = [broken as ReturnType<typeof entry>];
    on.dashboard.type(':logs\r');
    await expectGivenBack(on.dashboard, 1);
    expect(on.dashboard.text()).toContain('quarterdeck: internal error');
  });

  it('is given back although the server never answers the sign-out', async () => {
    const server = new FakeServer();
    await using listening = await serve(server);
    await using dashboard = startPty({ env: { QUARTERDECK_URL: listening.url } });
    await dashboard.waitForText('Username');
    dashboard.type(`admin\t${server.password}\r`);
    await dashboard.waitForText('● live');
    server.isSlow = true;
    dashboard.type('Q');
    await expectGivenBack(dashboard, 0);
  });

  it('suspends to the shell on Ctrl-Z and resumes unchanged', async () => {
    await using on = await running({}, { shell: true });
    const { dashboard } = on;
    await dashboard.waitForText('shell>');
    dashboard.type(`'${process.execPath}' '${new URL('../../dist/main.js', import.meta.url).pathname}'\r`);
    await dashboard.waitForText('● live');
    await toErrors(dashboard);
    for (let turn = 0; turn < 2; turn += 1) {
      dashboard.type('\u001A');
      await dashboard.waitForText(/Stopped/);
      await dashboard.waitFor(
        'the old modes',
        () => JSON.stringify({ ...dashboard.modes(), pastes: false }) === JSON.stringify(UNTOUCHED),
      );
      dashboard.type(`stty -a | grep -oE -- '-?(icanon|echo) ' | tr '\\n' ';'; echo turn${turn}\r`);
      await dashboard.waitForText(new RegExp(`icanon ;echo ;turn${turn}`));
      dashboard.type('fg\r');
      await dashboard.waitForText('error number 200');
      expect(dashboard.modes()).toEqual({ alternate: true, wraps: false, pastes: true, cursor: false, mouse: false });
      // Keys work again.
      dashboard.type('j');
      await dashboard.waitForText(`${turn + 2} of 200`);
    }
    dashboard.type('Q');
    await dashboard.waitForText(/turn1[\s\S]*shell>/);
  });

  it('shows only the newest state after being stuck', async () => {
    await using on = await running();
    const { dashboard, server } = on;
    await toErrors(dashboard);
    dashboard.pty.pause();
    const before = dashboard.raw().length;
    for (let n = 1; n <= 400; n += 1) {
      server.add(entry(200 + n, { log: `storm ${n} ${'x'.repeat(60)}` }));
      if (n % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 120));
    }
    dashboard.pty.resume();
    await dashboard.waitForText('storm 400');
    // Writing everything would have been far more.
    expect(dashboard.raw().length - before).toBeLessThan(40_000);
  });

  it('exits at once on a signal while the terminal is stuck', async () => {
    await using on = await running();
    const { dashboard, server } = on;
    await toErrors(dashboard);
    dashboard.pty.pause();
    for (let n = 1; n <= 400; n += 1) server.add(entry(200 + n, { log: `storm ${n} ${'x'.repeat(60)}` }));
    process.kill(dashboard.pty.pid, 'SIGTERM');
    // The pty reports the end after all output has been read.
    await expect.poll(() => isAlive(dashboard.pty.pid)).toBe(false);
    dashboard.pty.resume();
  });

  it('shows the same after resizes during updates as after a full repaint', async () => {
    await using on = await running();
    const { dashboard, server } = on;
    await toErrors(dashboard);
    const sizes = [120, 61, 200, 40, 99, 80].map(
      (columns, index) => [columns, [40, 12, 60, 24, 33, 24][index] ?? 24] as const,
    );
    let n = 200;
    for (const [columns, rows] of sizes) {
      dashboard.resize(columns, rows);
      for (let more = 0; more < 3; more += 1) {
        n += 1;
        server.add(entry(n, { log: `update ${n}` }));
      }
      await dashboard.waitForText(`update ${n}`);
    }
    dashboard.type('=');
    await dashboard.waitForText(/paused/i);
    await dashboard.screen.settled();
    // The first row shows the latency, which changes by itself.
    const cells = dashboard.screen.cells().slice(1);
    const written = dashboard.raw().length;
    dashboard.screen.write('\u001B[2J');
    dashboard.type('\u000C');
    await dashboard.waitFor('everything again', () => dashboard.raw().length > written + 500);
    await dashboard.waitForText(`update ${n}`);
    await dashboard.screen.settled();
    expect(dashboard.screen.cells().slice(1)).toEqual(cells);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
