// Commands that change many things, or create one, also alerts and channels.
import { describe, expect, it } from 'vitest';
import { inTurn, ok, startServer } from '../../../packages/sdk/test/start-server.ts';
import { PASSWORD } from '../../server/test/start-api.ts';
import type { Entry, Master } from './master.ts';
import { newUser } from './run-cli.ts';

interface Rule {
  readonly id: number;
  readonly when: object;
  readonly enabled: boolean;
}

/** Adds the tests, on the server of a master. */
export function testChanging({ api, master, run, json, send }: Master): void {
  describe('changes of many', () => {
    it('preview, want --yes without a terminal, and report', async () => {
      const entries = await send('many', 'alpha failed', 'beta failed', 'gamma failed');
      const ids = entries.map(({ id }) => id);
      expect(await run('errors resolve --filter service:many --dry-run -o json')).toMatchObject({
        code: 0,
        out: expect.stringContaining('"matched": 3'),
      });
      const unanswered = await run('errors resolve --filter service:many');
      expect(unanswered).toMatchObject({ code: 2, err: expect.stringContaining('Resolve 3 error groups?') });
      const states = async () =>
        (await json<Entry[]>('errors', '--service', 'many')).map(({ state }) => state).join(' ');
      expect(await states()).toBe('new new new');
      expect(await run('errors resolve --filter service:many --yes')).toMatchObject({
        code: 0,
        err: 'Resolved 3 of 3 error groups.\n',
      });
      expect(await states()).toBe('resolved resolved resolved');
      const reopened = await master().run(['errors', 'reopen', '-', '--yes'], { input: `${ids[0]} ${ids[1]}\n` });
      expect(reopened.err).toBe('Reopened 2 of 2 error groups.\n');
      expect(await run(`errors mute ${ids[2]} --until 1h --columns until -o ndjson`)).toEqual({
        code: 0,
        out: '{"until":"1h"}\n',
        err: '',
      });
    });

    it('send as many requests as their ids need, and add the answers up', async () => {
      const answer = (matched: number) => ok({ matched, done: matched, failed: [{ id: matched, msg: 'is gone' }] });
      await using server = await startServer(inTurn(answer(9_000), answer(1), answer(9_000), answer(1)));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const input = Array.from({ length: 10_002 }, (_, n) => n + 1).join('\n');
      const ran = await user.run(['errors', 'resolve', '-', '--yes'], { input });
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('Resolved 9,001 of 9,001 error groups.') });
      expect(ran.err).toContain('error group 9000: is gone');
      const sizes = server.seen.map(({ body }) => (JSON.parse(body) as { ids: number[] }).ids.length);
      expect(sizes).toEqual([10_000, 2, 10_000, 2]);
    });

    it('ask before they change one in a protected profile', async () => {
      await using server = await startServer();
      using user = newUser({ token: 'qd_t_x' });
      await user.run(['profile', 'add', 'prod', server.url, '--protected']);
      const asked = await user.run(['errors', 'resolve', '7', '--profile', 'prod']);
      expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('Resolve error group 7?') });
      expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
    });

    it('refuse to change everything by accident', async () => {
      expect(await run('errors resolve --yes')).toMatchObject({ code: 2 });
      expect(await run('agents delete --yes')).toMatchObject({ code: 2 });
      expect(await run('agents label site=north --yes')).toMatchObject({ code: 2 });
      const nothing = { code: 0, err: 'Nothing matches; nothing was changed.\n' };
      expect(await master().run(['errors', 'resolve', '-', '--all', '--yes'], { input: '\n' })).toMatchObject(nothing);
      expect(await run('errors resolve 1 --service many --yes')).toMatchObject({ code: 2 });
      expect(await run('agents label 1 site=north --all --yes')).toMatchObject({ code: 2 });
    });

    it('correct groups: merge, split and rules, each with a preview', async () => {
      const entries = await send('joined', 'left one failed', 'right one failed');
      const [first, second] = entries.map(({ id }) => id);
      expect(await run(`errors merge ${first} ${second} --dry-run --jq .matched`)).toMatchObject({
        code: 0,
        out: '2\n',
      });
      const unanswered = await run(`errors merge ${first} ${second}`);
      expect(unanswered).toMatchObject({
        code: 2,
        err: expect.stringContaining('Merge 2 error groups, on all sources'),
      });
      expect(await run(`errors merge ${first} ${second} --yes --jq .group`)).toMatchObject({ out: `${first}\n` });
      const [line] = await json<{ id: string }[]>('errors', 'lines', String(second), '--filter', '"right one"');
      expect(await run(`errors split ${first} ${line?.id} --yes --jq .new_group`)).toMatchObject({
        out: `${second}\n`,
      });
      expect(await run(`errors history ${first} --jq .data[0].action`)).toMatchObject({ out: 'split\n' });
      const rule = ['errors', 'rule', 'group', 'service:joined /(left|right) one/', '--yes', '--jq', '.matched'];
      expect(await master().run(rule)).toMatchObject({ code: 0, out: '2\n' });
      expect((await json<{ text: string }[]>('errors', 'rules')).map(({ text }) => text)).toEqual([rule[3]]);
      expect(await master().run(['errors', 'rule', 'delete', rule[3] ?? '', '--yes'])).toMatchObject({ code: 0 });
    });

    it('write notes and labels, keep the other labels, and show what they would send', async () => {
      const [entry] = await send('noted', 'needs a note');
      const note = await master().run(['errors', 'note', String(entry?.id), '-', '--jq', '.note'], {
        input: 'two\nlines\n',
      });
      expect(note.out).toBe('two\nlines\n');
      const { id } = await api().agent();
      expect(await run(`agents label ${id} site=north tier=a --jq .labels`)).toMatchObject({
        out: '{"site":"north","tier":"a"}\n',
      });
      expect((await run(`agents label ${id} tier- rack=7 --dry-run`)).out).toBe(
        `PUT /api/agents/${id}\n{\n  "labels": {\n    "site": "north",\n    "rack": "7"\n  }\n}\n`,
      );
      await run(`agents label ${id} tier- rack=7`);
      const { labels } = await api().admin.agent.get({ params: { id }, query: { detail: 1 } });
      expect(labels).toEqual({ site: 'north', rack: '7' });
    });

    it('loses no label of others who change the agent meanwhile', async () => {
      const { id } = await api().agent();
      const names = ['a', 'b', 'c', 'd'];
      const ran = await Promise.all(names.map((name) => run(`agents label ${id} ${name}=1`)));
      expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      const { labels } = await api().admin.agent.get({ params: { id }, query: { detail: 1 } });
      expect(Object.keys(labels ?? {}).sort()).toEqual(names);
    });

    it('reach agents by filters of the list that the server does not know', async () => {
      const one = await api().agent();
      const hostname = `host-${one.nodeId}`;
      expect(await run(`agents maintenance on --filter hostname:${hostname} --yes`)).toMatchObject({ code: 0 });
      expect((await run(`agents --filter hostname:${hostname} --jq .[].maintenance`)).out).toBe('true\n');
      expect((await run(`agents maintenance off ${one.id} --jq .maintenance`)).out).toBe('false\n');
      expect(await run(`agents operate ${one.id} --kind collect_facts --jq .state`)).toMatchObject({
        out: '"queued"\n'.replaceAll('"', ''),
      });
      await run(`agents delete ${one.id}`);
      expect(await run(`agents get ${one.id}`)).toMatchObject({ code: 5 });
      await run(`agents restore ${one.id}`);
      expect((await run(`agents history ${one.id} --columns kind -o csv`)).out).toContain('restored');
    });

    it('go on after a failure and say which one', async () => {
      const { id } = await api().admin.apiToken.create({ body: { name: 'one' } });
      const ran = await run(`tokens revoke ${id} 999999 --yes`);
      expect(ran).toMatchObject({ code: 5, err: expect.stringContaining('API token 999999: Not found') });
      expect(await run(`tokens get ${id}`)).toMatchObject({ code: 5 });
    });
  });

  describe('the use of a token', () => {
    it('is printed, and narrows the token once it was observed for a week', async () => {
      const { id, token } = await api().admin.apiToken.create({ body: { scopes: ['errlog:read', 'agent:read'] } });
      await api().using(token).errlog.list();
      expect((await run(`tokens use ${id} --jq .permissions[].name`)).out).toBe('errlog:read\n');
      const early = await run(`tokens narrow ${id} --dry-run`);
      expect(early.err).toContain('less than 7 days');
      const createdMs = BigInt(api().now() - 7 * 86_400_000);
      await api().server.deps.db.write((tx) => tx.prisma.apiToken.update({ where: { id }, data: { createdMs } }));
      expect((await run(`tokens narrow ${id} --dry-run --jq .removed[]`)).out).toBe('agent:read\n');
      expect((await run(`tokens narrow ${id}`)).err).toContain(`Take agent:read from API token ${id}?`);
      expect(await run(`tokens narrow ${id} --yes --jq .scopes[]`)).toEqual({ code: 0, out: 'errlog:read\n', err: '' });
      expect((await run(`tokens narrow ${id} --jq .removed[]`)).out).toBe('');
    });
  });

  describe('creations', () => {
    it('take options, or a body from standard input that options override', async () => {
      const created = await json<{ name: string; expire: number; scopes: string[]; token: string }>(
        ...['tokens', 'create', '--name', 'ci', '--expire', '90d', '--scopes', 'errlog:read,errlog:write'],
      );
      expect(created).toMatchObject({ name: 'ci', token: expect.stringMatching(/^qd_t_/) });
      expect(Math.abs(created.expire - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
      const body = JSON.stringify({ kind: 'deploy', name: 'shop', after: '1.4.2' });
      const ran = await master().run(['change', 'create', '--body', '-', '--name', 'cart', '--jq', '.id'], {
        input: body,
      });
      expect((await run(`change get ${ran.out.trim()} --jq [.name,.after]`)).out).toBe('["cart","1.4.2"]\n');
      expect((await run(`change effects ${ran.out.trim()} --within 1h --jq .verdict`)).out).toBe('too_early\n');
      const waited = await run(`change wait ${ran.out.trim()} --for 1 --jq .settled`);
      expect([waited.out, waited.code]).toEqual(['false\n', 11]);
      expect(await run('change create --kind deploy')).toMatchObject({
        code: 2,
        err: expect.stringContaining('--name'),
      });
      expect(await master().run(['change', 'create', '--body', '-'], { input: '[]' })).toMatchObject({ code: 2 });
      const misspelt = { input: JSON.stringify({ name: 'ci', scope: ['errlog:read'] }) };
      expect(await master().run(['tokens', 'create', '--body', '-'], misspelt)).toMatchObject({
        code: 2,
        err: expect.stringContaining('cannot have "scope". Did you mean scopes?'),
      });
    });

    it('take secrets from standard input only', async () => {
      const ann = ['users', 'create', '--username', 'ann', '--role', 'viewer'];
      expect(await master().run([...ann, '--password', 'x'])).toMatchObject({ code: 2 });
      expect(await master().run(ann)).toMatchObject({ code: 2 });
      expect(await master().run([...ann, '--password-stdin'], { input: `${PASSWORD}\n` })).toMatchObject({ code: 0 });
      const { token } = await api().admin.apiToken.create({ body: { name: 'leaked' } });
      const revoked = await master().run(['tokens', 'revoke', '--secrets-stdin'], { input: `${token}\nnonsense\n` });
      expect(revoked.out).toBe('1 of 2 secrets were valid and are revoked.\n');
      expect(await master().run(['errors', `--nope=${token}`])).toMatchObject({
        err: expect.not.stringContaining(token),
      });
    });
  });

  describe('webhooks', () => {
    it('print the secret once, and list channels without it', async () => {
      const made = await run('webhooks create --name pager --url https://example.org/hook --jq .secret');
      expect(made).toEqual({ code: 0, out: expect.stringMatching(/^whsec_\S+\n$/), err: '' });
      const listed = await run('webhooks', { columns: 120 });
      expect(listed.out).toMatch(
        /^ID {2}NAME\s+KIND\s+ENABLED\s+URL\s+WAITING\s+DEAD\s+FAILING_SINCE\s+GONE_SINCE\s+RULES/,
      );
      expect(listed.out).toMatch(/pager\s+standard\s+yes\s+https:\/\/example\.org\/hook\s+0\s+0\s+-\s+-\s+0/);
      expect(listed.out).not.toContain('whsec_');
      const [{ id } = { id: 0 }] = await json<{ id: number }[]>('webhooks', '--filter', 'name:pager');
      const rotated = await run(`webhooks rotate ${id} --grace 1h --jq .secret`);
      expect(rotated.out).toMatch(/^whsec_/);
      expect(rotated.out).not.toBe(made.out);
      const refused = await run('webhooks create --name x');
      expect(refused).toMatchObject({ code: 1, err: 'quarterdeck: --url: is required for standard\n' });
      expect(await run('tokens delete')).toMatchObject({ code: 2, err: expect.stringContaining('--secrets-stdin') });
      expect(await run('webhooks get 999')).toMatchObject({ code: 5 });
    });

    it('take the secrets of a channel from standard input, and from no argument', async () => {
      const secrets = `${'a'.repeat(30)}\n${'u'.repeat(30)}\n`;
      const create = 'webhooks create --name phone --kind pushover';
      const made = await run(`${create} --secrets-stdin -o json`, { input: secrets });
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(made.out).not.toMatch(/a{30}|u{30}/);
      const channel = JSON.parse(made.out) as { id: number };
      expect(channel).toMatchObject({ kind: 'pushover', url: 'https://api.pushover.net', secrets: ['token', 'user'] });
      expect(await run(create)).toMatchObject({ code: 2, err: expect.stringContaining('API token') });
      expect(await run(`${create} --token x`)).toMatchObject({ code: 2, err: expect.stringContaining('--token') });
      const update = `webhooks update ${channel.id}`;
      const changed = await run(`${update} --prefix [shop] --parts cause,links -o json`);
      expect(JSON.parse(changed.out)).toMatchObject({ prefix: '[shop]', parts: ['cause', 'links'] });
      const replaced = await run(`${update} --secrets-stdin`, { input: `${'b'.repeat(30)}\n` });
      expect(replaced).toMatchObject({ code: 0, err: '' });
      const wrong = await run(`${update} --secrets-stdin`, { input: 'too short\n' });
      expect(wrong).toMatchObject({
        code: 1,
        err: expect.stringContaining('is not the API token of pushover: 30 letters'),
      });
    });

    it.each([
      [{ state: 'delivered', status: 204 }, 0, ''],
      [{ state: 'waiting', attempts: 1, error: 'The receiver answers 503.' }, 1, 'answers 503. The server tries again'],
      [{ state: 'dead', attempts: 3, error: 'The receiver answers 422.' }, 1, 'message: The receiver answers 422.\n'],
    ])('wait for the result of a test: %o', async (result, code, err) => {
      const waiting = { id: 9, state: 'waiting', attempts: 0, error: '' };
      const answers = [waiting, waiting, { ...waiting, ...result }].map((delivery) => ok(delivery));
      await using server = await startServer(inTurn(...answers));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const ran = await user.run(['webhooks', 'test', '2']);
      expect(ran).toMatchObject({ code, err: expect.stringContaining(err) });
      if (code === 0) expect(ran.out).toContain('delivered');
    });

    it.each([
      [{ state: 'delivered', status: 204 }, 0, ''],
      [
        { state: 'dead', attempts: 1, error: 'The receiver answers 410.' },
        1,
        'Delivery 9 failed: The receiver answers 410.',
      ],
    ])('wait for the result of what is sent again: %o', async (result, code, err) => {
      const waiting = { id: 9, state: 'waiting', attempts: 0, error: '' };
      await using server = await startServer(inTurn(ok(waiting), ok({ ...waiting, ...result })));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const ran = await user.run(['webhooks', 'redeliver', '9']);
      expect(ran).toMatchObject({ code, err: expect.stringContaining(err) });
      // The server would have no answer left for a wait.
      await using another = await startServer(inTurn(ok(waiting)));
      using scripted = newUser({ url: another.url, token: 'qd_t_x' });
      expect(await scripted.run(['webhooks', 'redeliver', '9', '--no-wait'])).toMatchObject({ code: 0, err: '' });
    });

    it.each([
      ['delivered', 0, ''],
      ['dead', 1, 'Channel 5 did not deliver the test message: The receiver answers 500.'],
    ])('wait for the results of all channels of a rule: %s', async (state, code, err) => {
      const queued = { channels: [4, 5], deliveries: [4, 5].map((channel) => ({ id: channel * 10, channel })) };
      const delivered = { state: 'delivered', attempts: 1, error: '', status: 204 };
      const last = { ...delivered, state, error: state === 'dead' ? 'The receiver answers 500.' : '' };
      await using server = await startServer(inTurn(ok(queued), ok(delivered), ok(last)));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const ran = await user.run(['alerts', 'test', '1']);
      expect(ran).toMatchObject({ code, err: expect.stringContaining(err) });
      if (code === 0) expect(ran.out.match(/delivered/g)).toHaveLength(2);
    });

    it('test a channel, list its deliveries, and send one again', async () => {
      const { id } = await json<{ id: number }>(
        'webhooks',
        'create',
        '--name',
        'chat',
        '--url',
        'https://example.org/2',
      );
      const delivery = await json<{ id: number }>('webhooks', 'test', String(id));
      expect(delivery).toMatchObject({ state: 'delivered', status: 204 });
      const table = await run(`webhooks deliveries ${id}`, { columns: 120 });
      expect(table.out).toMatch(/^ID\s+STATE\s+TYPE\s+ATTEMPTS\s+STATUS\s+ERROR\s+CREATED\s+NEXT_ATTEMPT/);
      expect(table.out).toMatch(new RegExp(`${delivery?.id}\\s+delivered\\s+webhook\\.test\\s+1\\s+204`));
      expect((await run(`webhooks deliveries ${id} --state dead -q`)).out).toBe('');
      expect((await run(`webhooks deliveries ${id} --all -q`)).out).toBe(`${delivery?.id}\n`);
      expect((await run(`webhooks deliveries ${id} --limit 700 -q`)).out).toBe(`${delivery?.id}\n`);
      expect((await run(`webhooks redeliver ${delivery?.id} --jq .state`)).out).toBe('delivered\n');
      expect((await run(`webhooks disable ${id} --jq .enabled`)).out).toBe('false\n');
      expect((await run(`webhooks enable ${id} --jq .enabled`)).out).toBe('true\n');
      expect(await run(`webhooks delete ${id}`)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
      expect(await run(`webhooks delete ${id} --yes`)).toMatchObject({ code: 0 });
    });
  });

  describe('alerts', () => {
    it('create a rule from options, and change a part of its condition', async () => {
      const channel = await json<{ id: number }>(
        'webhooks',
        'create',
        '--name',
        'ops',
        '--url',
        'https://example.org/3',
      );
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
      expect(await json('alerts', 'test', String(rule.id))).toMatchObject({
        channels: [channel.id],
        deliveries: [{ channel: channel.id, state: 'delivered', status: 204 }],
      });
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

    it('explain why a rule did not fire, now and at an earlier time', async () => {
      const { id } = await json<Rule>('alerts', 'create', '--name', 'quiet', '--kind', 'token.reused');
      const explained = await run(`alerts explain ${id}`);
      expect(explained).toMatchObject({ code: 0, err: '' });
      expect(explained.out).toMatch(/^at\s+\S+ \S+\nfired\s+no\nverdict\s+It did not fire: Nothing met the condition/);
      expect(explained.out).toMatch(
        /\n\nNAME +MET +VALUE +LIMIT +TEXT\nenabled +yes +\S* +\S* +The rule is enabled\.\n/,
      );
      expect((await run(`alerts explain ${id} --at 2h --jq .verdict`)).out).toMatch(
        /^It did not fire: The rule was created later, at /,
      );
      expect(await run('alerts explain 1000000')).toMatchObject({ code: 5 });
      expect(await run(`alerts explain ${id} --at yesterday`)).toMatchObject({ code: 2 });
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
}
