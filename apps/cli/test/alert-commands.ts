// Commands about one alert: show, ack, assign, mute, unmute.
import type { Alert, AlertInstance } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import type { Master } from './master.ts';
import { newUser } from './run-cli.ts';

/** Adds the tests, on the server of a master. */
export function testAlerts({ api, run, json, send }: Master): void {
  /** Creates a rule about new errors of a service, and the alert of one. */
  async function fire(service: string): Promise<Alert> {
    const rule = await json<{ id: number }>(
      ...['alerts', 'create', '--name', `new in ${service}`, '--kind', 'errlog.new'],
      ...['--filter', `service:${service}`, '--runbook', 'https://wiki.example.org/{service}'],
    );
    await send(service, 'payment 31 \u001B[2A refused');
    await api().server.jobs.runAlerts();
    const [alert] = await json<Alert[]>('alerts', 'list', '--filter', `rule_id:${rule.id}`);
    if (alert === undefined) throw new Error('no alert');
    return alert;
  }

  describe('one alert', () => {
    it('is shown as its message to people, and as the answer of the API to programs', async () => {
      const { id } = await fire('reads');
      const { out, code } = await run(`alerts show ${id}`);
      expect(code).toBe(0);
      expect(out.split('\n').map((line) => line.replace(/ {2,}.*/, ''))).toEqual([
        ...['Error', 'Since', 'Count', 'Hosts', 'Cause', '', 'Newest lines', 'Runbook', 'State', ''],
      ]);
      expect(out).toMatch(/^Error +ERROR reads: payment .* refused\n/);
      expect(out).toMatch(/\nCause +none named: .*\n +Checked again at /);
      expect(out).toMatch(/\nNewest lines +\S+ host-of-reads payment 31 ␛\[2A refused\n/);
      expect(out).toContain('https://wiki.example.org/reads\n');
      const answer = await json<AlertInstance>('alerts', 'show', String(id));
      expect(answer).toMatchObject({ id, lines: [{ host: 'host-of-reads' }], meta: { complete: true } });
      expect((await run(`alerts show ${id} --jq .lines[0].host`)).out).toBe('host-of-reads\n');
      expect(await run('alerts show 999999')).toMatchObject({ code: 5, out: '' });
    });

    it('is acknowledged with a note, assigned and unassigned', async () => {
      const { id, title } = await fire('people');
      expect(await run(`alerts ack ${id} --note mine`)).toMatchObject({
        code: 0,
        out: expect.stringMatching(new RegExp(`^Acknowledged alert ${id}: .+\n$`)),
      });
      expect(title).not.toBe('');
      expect((await run(`alerts assign ${id} --me`)).out).toMatch(/^Assigned alert/);
      const shown = (await run(`alerts show ${id}`)).out;
      expect(shown).toMatch(/\nAcknowledged +by admin \d+s ago: mine\nAssigned +to admin\n/);
      expect((await run('alerts', { columns: 160 })).out).toMatch(/new in people .* admin +admin\n/);
      expect(await json('alerts', 'assign', String(id), '--nobody')).toMatchObject({ id, assigned: null });
      expect(await json('alerts', 'assign', String(id), 'admin')).toMatchObject({ assigned: { username: 'admin' } });
      expect(await run(`alerts assign ${id} nobody-known`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('There is no user "nobody-known".'),
      });
      for (const args of [`${id}`, `${id} admin --me`, `${id} --me --nobody`]) {
        expect(await run(`alerts assign ${args}`)).toMatchObject({ code: 2 });
      }
    });

    it('is muted with its errors until a time, and not any more', async () => {
      const { id, groups } = await fire('muting');
      const stateOf = async () => (await json<{ state: string }>('errors', 'get', String(groups[0]))).state;
      expect(await run(`alerts mute ${id}`)).toMatchObject({ code: 2, err: expect.stringContaining('--until') });
      expect(await run(`alerts mute ${id} --until soon`)).toMatchObject({ code: 2 });
      expect((await run(`alerts mute ${id} --until 2h`)).out).toMatch(/^Muted alert/);
      expect(await stateOf()).toBe('muted');
      expect((await run(`alerts show ${id}`)).out).toMatch(/\nMuted +until \d{4}-/);
      expect((await run(`alerts mute ${id} --until 2030-01-31 --dry-run`)).out).toMatch(/"until": 18\d{8}\n/);
      expect((await run(`alerts unmute ${id}`)).out).toMatch(/^Ended the mute of alert/);
      expect(await stateOf()).toBe('ongoing');
    });

    it('is read by a viewer, who cannot change it', async () => {
      const { id } = await fire('viewing');
      const { admin, url } = api();
      const { token } = await admin.apiToken.create({
        body: { name: 'viewer', scopes: ['alert:read', 'errlog:read'] },
      });
      using viewer = newUser({ url, token });
      expect(await viewer.run(['alerts', 'show', String(id)])).toMatchObject({ code: 0 });
      expect(await viewer.run(['alerts', 'ack', String(id)])).toMatchObject({ code: 4, out: '' });
    });
  });
}
