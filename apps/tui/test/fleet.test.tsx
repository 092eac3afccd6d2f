// Enrollment tokens, operations, bad kernels and outages, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { enrollment, kernelRule, operation, outage } from './fleet-rows.ts';
import { openTui, type Tui, type TuiOptions } from './render-tui.tsx';

async function on(word: string, options: TuiOptions): Promise<Tui> {
  const tui = await openTui('● live', { columns: 100, ...options });
  await tui.type(`:${word}\r`).until(/\d of \d|No (enrollment|operations|rules|outages)/);
  return tui;
}

const SECRET = /qd_e_\w{49}/;

describe('enrollment tokens', () => {
  it('are listed with uses, end and the labels they give', async () => {
    const server = new FakeServer();
    server.enrollments = [
      enrollment(2, {
        name: 'racks',
        uses: 10,
        used: 3,
        labels: { site: 'north' },
        expire: Date.now() + 86_400_000 * 3,
      }),
      enrollment(1, { name: 'first', state: 'used_up', uses: 4, used: 4 }),
    ];
    await using tui = await on('enrollment', { server });
    expect(tui.lines()[3]).toMatch(/● active\s+racks\s+3 of 10\s+in 3 days\s+site=north/);
    expect(tui.lines()[4]).toMatch(/○ used up\s+first\s+4 of 4\s+never/);
  });

  it('show the secret of a new one once, with the command line of a host, and forget both', async () => {
    const server = new FakeServer();
    server.enrollments = [enrollment(1, { name: 'racks' })];
    await using tui = await on('enrollment', { server, columns: 80, profile: { consoleUrl: 'http://console.test' } });
    await tui.press('a').until('New enrollment token');
    await tui.press('enter').until('Enter a name that says');
    await tui.type("it's new").until('in 24 hours');
    await tui.press('tab', 'right', 'tab').until('in 7 days');
    await tui.type('none\r').until('Enter a number of hosts');
    await tui.press('ctrl+u', '3\tsite=north\r').until(SECRET);
    expect(server.enrollments).toContainEqual(
      expect.objectContaining({ name: "it's new", uses: 3, labels: { site: 'north' } }),
    );
    expect(tui.text().replaceAll(/\s+│\s+│?\s*/g, ' ')).toContain('Esc closes; the token cannot be shown again.');
    await tui.press('c').until('Sent to the clipboard');
    expect(tui.copied()).toMatch(
      /^ QUARTERDECK_CONSOLE_URL=http:\/\/console\.test QUARTERDECK_ENROLL_TOKEN=qd_e_\w{49} quarterdeck-agent enroll --server http:\/\/quarterdeck\.test$/,
    );
    await tui.press('escape').untilGone(SECRET);
    await tui.waitForText(/▌.*it's new.*0 of 3/);
    await tui.type(':messages\r').until('No messages yet.');
    expect(tui.text()).not.toMatch(SECRET);
  });

  it('are revoked by choosing Yes', async () => {
    const server = new FakeServer();
    server.enrollments = [enrollment(1, { name: 'racks' })];
    await using tui = await on('enrollment', { server });
    await tui.press('D').until('Revoke this enrollment token?');
    await tui.press('enter').untilGone('Revoke this');
    expect(server.enrollments).toHaveLength(1);
    await tui.press('D', 'y').until('Revoked racks.');
    expect(server.enrollments).toEqual([]);
  });
});

describe('operations', () => {
  it('show their progress, and can be cancelled only before they start', async () => {
    const server = new FakeServer();
    server.operations = [
      operation(3, { state: 'queued', progress: 0, hostname: 'web-3' }),
      operation(2, { kind: 'upgrade', params: { version: '2.1' }, hostname: 'web-2', detail: 'unpacking' }),
      operation(1, { state: 'failed', deadline: 0, hostname: 'web-1', detail: 'exit code 3' }),
    ];
    await using tui = await on('operations', { server });
    expect(tui.text()).toContain('2 in progress');
    expect(tui.lines()[4]).toMatch(/● running\s+web-2\s+upgrade to 2\.1\s+━{4}\s+40%\s+unpacking/);
    expect(tui.lines()[5]).toMatch(/✖ failed\s+web-1.*exit code 3/);
    await tui.press('D').until('Cancel this operation?');
    await tui.press('y').until('Cancelled collect facts · web-3.', '○ cancelled');
    await tui.press('j', 'D').until('2 of 3', 'This operation has already started.');
    expect(tui.text()).not.toContain('Cancel this operation?');
  });

  it('lead to their agent', async () => {
    const server = new FakeServer();
    server.agents = [agent(1, { hostname: 'web' }), agent(2, { hostname: 'web-2' })];
    server.operations = [operation(1, { agent_id: 2, hostname: 'web-2' })];
    await using tui = await on('operations', { server });
    await tui.type('ga').until(/3 Agents › web-2/);
  });
});

describe('rules of bad kernels', () => {
  it('show their matches while they are typed, and mark agents', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2)];
    server.kernelRules = [kernelRule(9, { pattern: '4.*' })];
    await using tui = await on('kernels', { server });
    await tui.waitForText(/▌ 4\.\*/);
    await tui.press('a').until('New rule of bad kernels');
    await tui.type('7.*').until('It matches no kernel that an agent has now.');
    await tui.press('ctrl+u', '6.1.0-2?').until('It matches 2 agents, with 6.1.0-25.');
    await tui.press('enter').until('Enter a reason');
    await tui.type('stalls\r').until('Marked 2 agents.', /▌ 6\.1\.0-2\?/);
    await tui.type('ga').until('[bad kernel]', 'bad kernel: stalls');
  });

  it('are deleted after a question', async () => {
    const server = new FakeServer();
    server.kernelRules = [kernelRule(1)];
    await using tui = await on('kernels', { server });
    await tui.press('D').until('Delete this rule?');
    await tui.press('y').until('Deleted 6.1.*.');
    expect(server.kernelRules).toEqual([]);
  });
});

describe('outages', () => {
  it('say how many went silent, how many are back, and lead to those away', async () => {
    const server = new FakeServer();
    server.agents = [agent(1, { hostname: 'db-1', online: false, state: 'offline', reason: 'lost' })];
    server.outages = [
      outage(2, { lost: 9, returned: 4, sample: [{ id: 1, hostname: 'db-1' }] }),
      outage(1, { started: 1_760_000_000, ended: 1_760_003_600, lost: 5, returned: 5 }),
    ];
    await using tui = await on('outages', { server });
    expect(tui.lines()[3]).toMatch(/▲ ongoing\s.*\s\d+m\s+9\s+5\s+db-1/);
    expect(tui.lines()[4]).toMatch(/✓ ended\s.*1h00m\s+5\s+0/);
    await tui.type('ga').until('[away]', 'db-1');
  });
});
