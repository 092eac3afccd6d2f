// Alerts and their rules, from the keys to the server's answer.
import { ROLES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { alert, alertRule, webhook } from './alert-rows.ts';
import { entry, FakeServer } from './fake-server.ts';
import { openTui, renderTui, type Tui, type TuiOptions } from './render-tui.tsx';

async function on(word: string, options: TuiOptions): Promise<Tui> {
  const tui = await openTui('● live', { columns: 100, ...options });
  await tui.type(`:${word}\r`).until(/\[(Alerts|Rules)\]/, /\d of \d|No (alerts|rules|channels)/);
  return tui;
}

/** A server whose caller has a role. */
function serverFor(role: 'viewer' | 'operator' | 'master'): FakeServer {
  const server = new FakeServer();
  server.role = role;
  server.permissions = ROLES[role];
  return server;
}

describe('alerts', () => {
  it('list what fires first, then what is grouped under it, then what ended', async () => {
    const server = serverFor('viewer');
    const nowS = Date.now() / 1000;
    server.alerts = [
      alert(4, {
        kind: 'errlog.new',
        state: 'resolved',
        title: 'new error',
        parent_id: 2,
        messages: 0,
        resolved: nowS,
      }),
      alert(3, { state: 'resolved', title: 'too many timeouts', resolved: nowS - 300 }),
      alert(2, {
        kind: 'agent.outage',
        key: 'outage:5',
        title: '40 agents went silent',
        under: 1,
        detail: { hosts: ['db-1', 'red\u001B[31m'] },
        since: nowS - 7260,
      }),
      alert(1, { state: 'pending', title: 'a shipper is silent', kind: 'silence' }),
    ];
    await using tui = await on('alerts', { server, columns: 80 });
    expect(tui.lines()[3]).toMatch(/▌ ▲ firing\s+errors\s+40 agents went silent\s.*2h01m\s+1$/);
    expect(tui.lines()[4]).toMatch(/◆ sent\s+errors\s+└ new error/);
    expect(tui.lines()[5]).toMatch(/◇ pending\s+errors\s+a shipper is silent/);
    expect(tui.lines()[6]).toMatch(/✓ ended\s+errors\s+too many timeouts\s.*5m$/);
    await tui.press('enter').until('Fires if');
    await tui.press('+').until('◆ new error');
    expect(tui.text()).toMatch(/Hosts +db-1, red␛\[31m/);
    await tui.press('escape', 'escape', 'u').until('1 of 1 (of 4)');
    await tui.press('u').until('1 of 4');
  });

  it('lead to what they are about, also by Enter in the details', async () => {
    const server = serverFor('viewer');
    server.errlog = [entry(7, { log: 'payment refused', fingerprint: 'f7' }), entry(8, { fingerprint: 'f8' })];
    server.alerts = [
      alert(1, { key: 'group:7', title: 'payments fail' }),
      alert(2, { key: 'disk', kind: 'server.health' }),
    ];
    await using tui = await on('alerts', { server });
    await tui.press('enter').until('Enter go there');
    await tui.press('enter').until('2 Errors › ■ ERROR 7');
    await tui.type('gt').until('payments fail');
    await tui.press('escape', 'j', ':subject\r').until('This alert is about no row of another screen.');
  });

  it('are named by the overview', async () => {
    const server = serverFor('viewer');
    server.alerts = [alert(2, { title: 'The disk is full.' }), alert(1)];
    await using tui = renderTui({ server, settings: { start: 'overview' } });
    await tui.waitForText('✖ The disk is full. 1 more firing. Press g t to list alerts.');
  });

  it('are counted in the first row of each screen, and named as they happen', async () => {
    const server = serverFor('viewer');
    server.alerts = [alert(1)];
    await using tui = await openTui('▲ 1 firing', { server, columns: 80 });
    await tui.waitFor('the stream', () => server.subscribers === 1);
    const fresh = alert(2, { title: 'red \u001B[31mdisk is full.', rule: 'server' });
    server.alerts = [fresh, alert(1), alert(3, { parent_id: 2 })];
    server.emit('alert.firing', fresh);
    await tui.waitForText('✖ server: red ␛[31mdisk is full. Press g t to list alerts.', '▲ 2 firing');
    expect(tui.lines()[0]).toMatch(/^ Quarterdeck {2}▲ 2 firing .*admin viewer {3}● live.*UTC$/);
    const ended = { ...fresh, state: 'resolved' as const, resolved: Date.now() / 1000 };
    server.alerts = [];
    server.emit('alert.resolved', ended);
    await tui.waitForText('Ended: red');
    await tui.waitForNoText('firing');
  });
});

describe('rules of alerts', () => {
  it('are added by a form with the settings of the kind, after a preview', async () => {
    const server = serverFor('master');
    server.webhooks = [webhook(2, { name: 'team chat', kind: 'slack' }), webhook(1, { name: 'pager' })];
    server.alerts = [alert(9, { title: '412 in 5m: payment refused' })];
    await using tui = await on('rules', { server, columns: 80 });
    await tui.waitForText('No rules: no alerts are sent.');
    await tui.press('a').until('New rule: kind');
    await tui.type('regressed\r').until('[errlog.regressed]');
    expect(tui.text()).not.toMatch(/More than|Within|Must last/);
    await tui.press('tab', 'right').until('Fires on more than 100 in 5m per error.');
    expect(tui.text()).toMatch(/More than +\[100 +\][\s\S]*Within +\[5m +\][\s\S]*For each +\[error\][\s\S]*Must last/);
    await tui.press('tab', 'tab', '2 d\r').until('Enter a name; messages start with it.');
    await tui.type('payments\r').until('Enter a duration, such as 5m or 1h30m.');
    await tui.press('ctrl+u', '2d\r').until('Within: must be from 60 to 86400 seconds.');
    await tui.press('ctrl+u', '10m', 'tab', 'tab', 'level:>=', 'enter').until('Only: ');
    tui.press('ctrl+u', 'service:shop', 'tab', 'tab', 'tab');
    await tui.type('30').until(/Repeat +\[30/);
    await tui.press('tab', 'tab', 'space', 'tab', 'ftp://x', 'enter').until('Repeat: must be 0, or 60 or more.');
    await tui.press('ctrl+u', '2h\r').until('Runbook: must be an http or https URL without a password.');
    tui.press('ctrl+u', 'https://wiki.example.org/{service}', 'enter');
    await tui.waitForText('In the last 24 hours it would have sent 1 message:');
    expect(tui.text()).toContain('Fires on more than 100 in 10m per error · service:shop.');
    expect(tui.text()).toContain('412 in 5m: payment refused');
    expect(tui.text()).toContain('It sends to pager.');
    await tui.press('escape').until(/Name +\[payments/);
    expect(server.alertRules).toEqual([]);
    await tui.press('enter').until('It sends to pager.');
    await tui.press('enter').until('Created payments.', /▌ ● on +payments +more than 100 in 10m/);
    expect(server.alertRules).toMatchObject([
      {
        name: 'payments',
        when: { kind: 'errlog.count', count: 100, within: 600, per: 'group' },
        filter: 'service:shop',
        for: 0,
        cooldown: 3600,
        repeat: 7200,
        channels: [1],
        runbook: 'https://wiki.example.org/{service}',
        issue: '',
      },
    ]);
  });

  it('are changed, tested, disabled and deleted by operators, who choose of all channels', async () => {
    const server = serverFor('operator');
    server.webhooks = [webhook(4, { name: 'on-call' }), webhook(5, { name: 'archive', kind: 'email', enabled: false })];
    server.alertRules = [
      alertRule(2, { name: 'hosts', when: { kind: 'agent.offline' }, for: 300, channels: [4], firing: 2 }),
      alertRule(1, { name: 'unheard' }),
    ];
    await using tui = await on('rules', { server });
    expect(tui.lines()[3]).toMatch(/▌ ● on\s+hosts\s+an agent stops reporting, for 5m\s+on-call\s+2\s+never/);
    expect(tui.lines()[4]).toMatch(/unheard\s+a new error\s+none\s+0/);
    await tui.press('e').until(/Channels +\[x\] on-call \(standard\)/);
    expect(tui.text()).toContain('[ ] archive (email, disabled)');
    await tui.press('tab', 'tab', 'tab', 'ctrl+u', '50m\r').until('It sends to on-call.');
    expect(tui.text()).toContain('would have sent nothing');
    await tui.press('enter').until('Changed hosts. Press U to undo.');
    expect(server.alertRules[0]?.for).toBe(3000);
    await tui.press('U').until('for 5m');
    await tui.press('V').until('hosts sends a message of the type alert.test to on-call.');
    await tui.press('y').until('Sent a test message to 1 channel.');
    await tui.press('T').until('Nothing is sent while it is disabled.');
    await tui.press('y').until(/○ off\s+hosts/);
    await tui.press('j', 'V').until('This rule has no channel.');
    await tui.press('D').until('Delete this rule?');
    await tui.press('enter').untilGone('Delete this rule?');
    await tui.press('D', 'y').until('Deleted unheard.');
    expect(server.alertRules.map(({ name }) => name)).toEqual(['hosts']);
    await tui.type('gw').until('Needs the role master.');
  });

  it('say why they have stopped, and offer an operator the kinds that operators may read', async () => {
    const server = serverFor('operator');
    const stopped = { since: Date.now() / 1000, why: 'Its author, bob, is disabled.' };
    server.alertRules = [alertRule(2, { stopped }), alertRule(1)];
    await using tui = await on('rules', { server });
    expect(tui.lines()[3]).toMatch(/▌ ✖ stopped\s+rule-2/);
    await tui.press('enter').until('Its author, bob, is disabled. Save it to become its author.');
    await tui.press('escape').untilGone('Its author, bob');
    await tui.press('a').until('New rule: kind');
    await tui.type('token').untilGone('agent.offline');
    expect(tui.text()).not.toContain('token.expiring');
  });

  it('say why they fire or do not fire, also to viewers and on 80 columns', async () => {
    const server = serverFor('viewer');
    server.alertRules = [alertRule(1, { name: 'quiet' }), alertRule(2, { name: 'loud' })];
    server.alerts = [alert(7, { rule_id: 2, title: 'payment refused red\u001B[31m' })];
    await using tui = await on('rules', { server, columns: 80, rows: 24 });
    await tui.press('w').until('It did not fire: Nothing met the condition of the rule.');
    expect(tui.text()).toContain('✓ The rule is enabled.');
    expect(tui.text()).toContain('✖ Nothing met the condition of the rule.');
    await tui.press('escape', 'j', 'w').until('It fired: payment refused');
    expect(tui.text()).toContain('#7 firing: payment refused red␛[31m');
    expect(tui.lines().every((line) => line.length <= 80)).toBe(true);
  });

  it('are only read by viewers', async () => {
    const server = serverFor('viewer');
    server.alertRules = [alertRule(1)];
    await using tui = await on('rules', { server });
    await tui.press('a').until('Needs the role operator.');
    expect(tui.lines().at(-1)).not.toMatch(/add|edit|delete/);
  });
});
