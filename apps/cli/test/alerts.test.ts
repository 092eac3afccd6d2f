// Commands about alerts and channels, on a real server.
import { describe, expect, it, vi } from 'vitest';
import { NO_TRANSPORTS } from '../../server/test/start-api.ts';
import { useMaster } from './master.ts';

const { master, run, json } = useMaster({ transports: NO_TRANSPORTS });

interface Rule {
  readonly id: number;
  readonly when: object;
  readonly enabled: boolean;
}

describe('webhooks', () => {
  it('print the secret once, and list channels without it', async () => {
    const made = await run('webhooks create --name pager --url https://example.org/hook --jq .secret');
    expect(made).toEqual({ code: 0, out: expect.stringMatching(/^whsec_\S+\n$/), err: '' });
    const listed = await run('webhooks', { columns: 100 });
    expect(listed.out).toMatch(/^ID {2}NAME\s+KIND\s+ENABLED\s+URL\s+WAITING\s+DEAD\s+FAILING_SINCE\s+RULES/);
    expect(listed.out).toMatch(/pager\s+standard\s+yes\s+https:\/\/example\.org\/hook\s+0\s+0\s+-\s+0/);
    expect(listed.out).not.toContain('whsec_');
    const [{ id } = { id: 0 }] = await json<{ id: number }[]>('webhooks', '--filter', 'name:pager');
    const rotated = await run(`webhooks rotate ${id} --grace 1h --jq .secret`);
    expect(rotated.out).toMatch(/^whsec_/);
    expect(rotated.out).not.toBe(made.out);
    expect(await run('webhooks create --name x')).toMatchObject({ code: 1, err: expect.stringContaining('url') });
    expect(await run('webhooks get 999')).toMatchObject({ code: 5 });
  });

  it('test a channel, list its deliveries, and send one again', async () => {
    const { id } = await json<{ id: number }>('webhooks', 'create', '--name', 'chat', '--url', 'https://example.org/2');
    const [delivery] = [await json<{ id: number }>('webhooks', 'test', String(id))];
    await vi.waitFor(async () =>
      expect(await json('webhooks', 'deliveries', String(id))).toMatchObject([{ state: 'delivered' }]),
    );
    const table = await run(`webhooks deliveries ${id}`, { columns: 120 });
    expect(table.out).toMatch(/^ID\s+STATE\s+TYPE\s+ATTEMPTS\s+STATUS\s+ERROR\s+CREATED\s+NEXT_ATTEMPT/);
    expect(table.out).toMatch(new RegExp(`${delivery?.id}\\s+delivered\\s+webhook\\.test\\s+1\\s+204`));
    expect((await run(`webhooks deliveries ${id} --state dead -q`)).out).toBe('');
    expect((await run(`webhooks deliveries ${id} --all -q`)).out).toBe(`${delivery?.id}\n`);
    expect((await run(`webhooks deliveries ${id} --limit 700 -q`)).out).toBe(`${delivery?.id}\n`);
    expect((await run(`webhooks redeliver ${delivery?.id} --jq .message_id`)).out).toMatch(/^msg_/);
    expect((await run(`webhooks disable ${id} --jq .enabled`)).out).toBe('false\n');
    expect((await run(`webhooks enable ${id} --jq .enabled`)).out).toBe('true\n');
    expect(await run(`webhooks delete ${id}`)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await run(`webhooks delete ${id} --yes`)).toMatchObject({ code: 0 });
  });
});

describe('alerts', () => {
  it('create a rule from options, and change a part of its condition', async () => {
    const channel = await json<{ id: number }>('webhooks', 'create', '--name', 'ops', '--url', 'https://example.org/3');
    const options = '--name payments --kind errlog.count --within 10m --filter service:shop';
    const shown = await run(`alerts create ${options} --dry-run`);
    expect(shown.out).toMatch(/^POST \/admin-api\/alert\n[\s\S]*"kind": "errlog.count"/);
    const rule = await json<Rule>('alerts', 'create', ...options.split(' '), '--channels', String(channel.id));
    const when = { kind: 'errlog.count', count: 100, within: 600, per: 'group' };
    expect(rule).toMatchObject({ when, enabled: true, channels: [channel.id] });
    const changed = await json<Rule>('alerts', 'update', String(rule.id), '--count', '5');
    expect(changed).toMatchObject({ name: 'payments', when: { ...when, count: 5 } });
    expect((await run('alerts rules', { columns: 160 })).out).toMatch(
      /payments\s+yes\s+kind=errlog\.count count=5 .*service:shop\s+\d+\s+0\s+-/,
    );
    expect((await run(`alerts disable ${rule.id} --jq .enabled`)).out).toBe('false\n');
    expect(await json('alerts', 'test', String(rule.id))).toEqual({ channels: [channel.id] });
    expect(await run(`alerts delete ${rule.id} --yes`)).toMatchObject({ code: 0 });
    expect(await run(`alerts get ${rule.id}`)).toMatchObject({ code: 5 });
  });

  it('preview a rule of options and a stored one', async () => {
    await master().run(['errors', 'send', '--service', 'shop', '--host', 'web-1'], { input: 'payment refused\n' });
    const tried = await run('alerts preview --kind errlog.new --filter service:shop');
    expect(tried).toMatchObject({ code: 0, err: '' });
    expect(tried.out).toMatch(/^from\s+\S+ \S+\nto\s+\S+ \S+\nfired\s+\d+\n[\s\S]*complete\s+(yes|no)/);
    const { id } = await json<Rule>('alerts', 'create', '--name', 'any', '--kind', 'errlog.new');
    expect(await json('alerts', 'preview', String(id), '--filter', 'service:none')).toMatchObject({ fired: 0 });
  });

  it('refuse what cannot be a condition, and list what fires', async () => {
    expect(await run('alerts create --name x')).toMatchObject({ code: 2, err: expect.stringContaining('--kind') });
    expect(await run('alerts create --name x --kind nothing')).toMatchObject({ code: 2 });
    expect(await run('alerts create --name x --kind errlog.new --count 3')).toMatchObject({ code: 1 });
    expect(await run('alerts update 1 2 --count 3 --yes')).toMatchObject({ code: 2 });
    expect(await run('alerts --state firing')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ID\s+STATE\s+RULE/),
    });
  });
});
