// Commands that read and send.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { hangUp, inTurn, ok, startServer } from '../../../packages/sdk/test/start-server.ts';
import type { Entry, Master } from './master.ts';
import { newUser } from './run-cli.ts';

/** Adds the tests, on the server of a master. */
export function testReading({ api, master, run, json, send }: Master): void {
  describe('formats', () => {
    it('prints a table without cuts in a pipe, and one that fits in a terminal', async () => {
      const text = `disk ${'x'.repeat(150)} full`;
      const [entry] = await send('wide', text);
      const piped = await run('errors --service wide');
      expect(piped.out).toMatch(/^ID\s+LEVEL\s+STATE\s+COUNT\s+LOG_TIME/);
      expect(piped.out).toContain(text);
      const shown = await run('errors --service wide', { columns: 80 });
      const rows = shown.out.trimEnd().split('\n');
      expect(rows).toHaveLength(2);
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
      expect(rows[1]).toMatch(new RegExp(`^\\s*${entry?.id}\\s+error\\s+new`));
    });

    it('cleans what a log says of control characters, and keeps it in JSON', async () => {
      const hostile = 'moved \u001B[2A and \u202E back';
      await send('hostile', hostile);
      const { out } = await run('errors --service hostile', { columns: 200 });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
      expect(out).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/);
      expect(out).toContain('moved ␛[2A and · back');
      const [entry] = await json<Entry[]>('errors', '--service', 'hostile');
      expect(entry?.log).toBe(hostile);
    });

    it('prints JSON arrays, NDJSON, CSV with the names as given, YAML, ids, and what jq makes', async () => {
      const entries = await send('formats', 'first failure', 'second, "quoted"');
      const ids = entries.map(({ id }) => id);
      const list = 'errors --service formats --sort first_seen';
      expect((await run(`${list} -o json`)).out).toMatch(/^\[\n/);
      const lines = (await run(`${list} -o ndjson`)).out.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as Entry).id)).toEqual(ids);
      expect((await run(`${list} -o csv --columns id,log`)).out).toBe(
        `id,log\n${ids[0]},first failure\n${ids[1]},"second, ""quoted"""\n`,
      );
      expect(parseYaml((await run(`${list} -o yaml`)).out)).toMatchObject(entries);
      expect((await run(`${list} -q`)).out).toBe(`${ids.join('\n')}\n`);
      expect((await master().run([...list.split(' '), '--jq', '.[].log'])).out).toBe(
        'first failure\nsecond, "quoted"\n',
      );
      expect((await run(`errors get ${ids[0]} --jq .id`)).out).toBe(`${ids[0]}\n`);
      expect(await master().run(['errors', '--jq', '.['])).toMatchObject({ code: 2, out: '' });
    });

    it('keeps a spreadsheet from running a cell', async () => {
      await send('formula', '=cmd()');
      expect((await run('errors --service formula -o csv --columns log')).out).toBe("log\n'=cmd()\n");
    });
  });

  describe('lists', () => {
    it('filter with the language of the server, and here where the server has none', async () => {
      await send('filtered', 'timed out', 'refused');
      const some = await json<Entry[]>('errors', '--filter', 'service:filtered "timed out"');
      expect(some.map(({ log }) => log)).toEqual(['timed out']);
      await master().run(['tokens', 'create', '--name', 'for-filters', '--expire', '2d']);
      const tokens = await json<{ name: string }[]>('tokens', '--filter', 'name:for-* state:expiring');
      expect(tokens.map(({ name }) => name)).toEqual(['for-filters']);
      expect(await json('tokens', '--filter', 'name:for-* -state:expiring')).toEqual([]);
      expect(await json('sources', '--filter', 'host-of-filtered', '--columns', 'name')).toEqual([
        { name: 'host-of-filtered' },
      ]);
      const wrong = await master().run(['tokens', '--filter', '"open']);
      expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--filter, at character') });
      expect(await master().run(['errors', '--filter', '"open'])).toEqual(wrong);
    });

    it.each([
      ['tokens list --filter sate:x', 'Did you mean state? Fields: id, name, expire'],
      ['tokens list --filter level:error', 'There is no such field'],
      ['users list --filter usrname:x', 'Did you mean username?'],
      ['audit list --filter actor.nam:x', 'Did you mean actor.name?'],
      ['errors list --columns nope', 'Did you mean note? Fields: id, level'],
      ['lines list --columns log,levle', 'Did you mean level?'],
      ['agents list --columns lables.site', '--columns cannot be "lables.site". Fields: id'],
      ['errors get 1 --columns nope', '--columns cannot be "nope"'],
      ['errors resolve 1 --columns nope', '--columns cannot be "nope"'],
      ['tokens revoke 1 --columns id', 'This command prints no fields.'],
      ['profile list --columns nme', 'Did you mean name?'],
      ['lines tail --columns nope', '--columns cannot be "nope"'],
      ['agents list --sort hostnam', '--sort cannot be "hostnam"'],
      ['agents list --filter hots:web', '--filter'],
      ['events --types errlog.nwe', 'query.types'],
    ])('refuse a name that does not exist: %s', async (line, reason) => {
      expect(await run(line)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(reason) });
    });

    it('compare and print every field of their rows', async () => {
      await master().run(['tokens', 'create', '--name', 'of-scopes', '--scopes', 'errlog:read']);
      const filter = 'scopes:"errlog:read" name:of-scopes since:1h fields.id:>0 -last_used:*';
      const { out } = await master().run(['tokens', '-o', 'csv', '--columns', 'name,scopes', '--filter', filter]);
      expect(out).toBe('name,scopes\nof-scopes,"[""errlog:read""]"\n');
      const labelled = await master().run([
        'agents',
        '-o',
        'csv',
        '--columns',
        'labels.any.name,system_version.kernel',
      ]);
      expect(labelled).toMatchObject({ code: 0, err: '' });
    });

    it('tell of a field that no stored line of the last day has', async () => {
      const at = Math.floor(Date.now() / 1000);
      await api().admin.errlog.append({
        body: [{ level: 4, log: 'unused fields', service: 'unused', log_time: at, fields: { customer: 'ann' } }],
      });
      // Other tests lose lines.
      const levl =
        /^No stored line of the last day has a field "levl"(?:, as far as it was seen)?\. Did you mean level\?\n$/;
      for (const line of [
        ['errors', '--filter', 'levl:error'],
        ['lines', '--filter', 'service:unused -levl:error'],
        ['lines', '--filter', 'service:unused OR levl:error'],
        ['lines', 'tail', '--filter', 'levl:error'],
        ['lines', 'export', '--filter', 'levl:error'],
        ['lines', 'values', 'levl'],
        ['lines', 'values', 'host', '--filter', 'levl:error'],
        ['lines', 'histogram', '--filter', 'levl:error'],
        ['lines', 'erase', '--dry-run', '--filter', 'levl:error'],
        ['errors', 'resolve', '--dry-run', '--filter', 'service:unused -levl:error'],
        ['alerts', 'preview', '--kind', 'errlog.new', '--filter', 'levl:error'],
        ['alerts', 'create', '--name', 'unused', '--kind', 'errlog.new', '--filter', 'levl:error'],
      ]) {
        expect([line, (await master().run(line)).err]).toEqual([line, expect.stringMatching(levl)]);
      }
      const custmer = await master().run(['lines', '--filter', 'custmer:ann']);
      expect(custmer.err).toMatch(/has a field "custmer".*\. Did you mean customer\?\n$/);
      for (const filter of ['customer:ann', 'level:error', 'service:unused -customer:bob', 'service:nobody']) {
        expect([filter, (await master().run(['lines', '--filter', filter])).err]).toEqual([filter, '']);
      }
    });

    it('tell of a label that no agent has', async () => {
      const { id } = await api().agent();
      await api().admin.agent.update({ params: { id }, body: { labels: { site: 'north' } } });
      const sit = 'No agent has a label "sit". Did you mean site?\n';
      for (const line of [
        ['agents', '--label', 'sit=north'],
        ['agents', '--filter', '-label.sit:north'],
        ['agents', 'delete', '--dry-run', '--filter', 'label.sit:north'],
      ]) {
        expect([line, (await master().run(line)).err]).toEqual([line, sit]);
      }
      expect((await master().run(['agents', '--label', 'site=south'])).err).toBe('');
    });

    it('end at --limit, tell how many there are, and print all with --all', async () => {
      for (const name of ['a', 'b', 'c']) await api().admin.enrollment.create({ body: { name } });
      expect((await run('enroll -q --limit 2')).out.trim().split('\n')).toHaveLength(2);
      const all = (await run('enroll -q --all')).out.trim().split('\n');
      expect(all.length).toBeGreaterThanOrEqual(3);
      expect((await run('enroll --filter name:c -q --limit 1')).out.trim()).toBe(all[0]);
    });

    it('tell a script of an incomplete answer, and a person why there is none', async () => {
      const line = { id: '1', time: 1, level: 4, log: 'found' };
      const meta = { before: '1', after: null, complete: false, scanned: 9 };
      await using server = await startServer(
        inTurn(
          ok({ data: [line], meta }),
          ok({ data: [], meta: { ...meta, before: null, complete: true, why_empty: 'silent' } }),
          ok({ values: [{ value: '10.9.8.7', count: 3 }], other: 1, distinct: 2, meta: { complete: false } }),
        ),
      );
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      const early = await user.run(['lines', '--limit', '1', '-o', 'csv', '--columns', 'log']);
      expect(early).toMatchObject({ code: 0, out: 'log\nfound\n', err: expect.stringContaining('not complete') });
      expect(await user.run(['lines'], { columns: 80 })).toMatchObject({
        code: 0,
        err: expect.stringContaining('sent nothing'),
      });
      const counted = await user.run(['lines', 'values', 'client', '-o', 'csv']);
      expect(counted).toMatchObject({ out: 'value,count\n10.9.8.7,3\n', err: expect.stringContaining('not complete') });
      expect(server.seen[0]?.url).toContain('limit=1');
    });

    it('begin at --since, also where the server does not compare times', async () => {
      await api().agent();
      expect((await json<unknown[]>('agents', '--since', '1h')).length).toBeGreaterThan(0);
      expect(await json('users', '--since', '2099-01-01')).toEqual([]);
      expect(await json('errors', '--since', '2099-01-01')).toEqual([]);
      expect(await run('errors --since tomorrow')).toMatchObject({ code: 2 });
    });
  });

  describe('lines', () => {
    it('send text, NDJSON and JSON arrays, and say which lines were refused', async () => {
      const lines = [
        { level: 'warn', log: 'as an object' },
        { level: 3, log: 'worse', service: 'own' },
      ];
      await master().run(['errors', 'send', '--service', 'sent'], {
        input: `[\n${lines.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
      });
      await master().run(['errors', 'send', '--service', 'sent'], { input: '[error] in brackets\n' });
      const entries = await json<{ level: number; log: string }[]>(
        'errors',
        '--service',
        'sent',
        '--sort',
        'first_seen',
      );
      expect(entries.map(({ level, log }) => [level, log])).toEqual([
        [5, 'as an object'],
        [4, '[error] in brackets'],
      ]);
      expect(await json('errors', '--service', 'own', '--columns', 'log')).toEqual([{ log: 'worse' }]);
      const refused = await master().run(['errors', 'send'], { input: '{"log": "fine"}\n{"nothing": 1}\n' });
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('line 2:') });
      const dry = await master().run([
        'errors',
        'send',
        '--dry-run',
        '--columns',
        'pattern',
        '-o',
        'csv',
        'took 12 ms',
      ]);
      expect(dry.out).toMatch(/^pattern\ntook \S+ ms\n$/);
    });

    it.each([
      ['lines', ['errors', 'send', 'lost'], { accepted: 1, refused: [] }],
      ['a change', ['change', 'create', '--kind', 'deploy', '--name', 'shop'], { id: 1, unknown_hosts: [] }],
    ])('send %s again after a lost answer, under the same key', async (_what, args, data) => {
      await using server = await startServer(inTurn(hangUp, ok(data)));
      using user = newUser({ url: server.url, token: 'qd_t_x' });
      expect(await user.run(args)).toMatchObject({ code: 0 });
      const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
    });

    it('list, tail, count values and export', async () => {
      const [entry] = await send('tailed', 'one', 'two', 'three');
      expect((await run('lines tail -n 2 --service tailed --columns log')).out).toBe('two\nthree\n');
      expect((await run(`errors lines ${entry?.id} --columns log -o csv`)).out).toBe('log\none\n');
      expect((await run('lines values service --service tailed -o csv')).out).toBe('value,count\ntailed,3\n');
      const file = join(master().folder, 'lines.csv');
      expect(await run(`lines export --service tailed --format csv --to ${file}`)).toMatchObject({ code: 0, out: '' });
      expect(readFileSync(file, 'utf8')).toContain('three');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const missing = join(master().folder, 'none', 'lines.csv');
      expect(await run(`lines export --to ${missing}`)).toMatchObject({ code: 74 });
      const exported = await run('errors export --service tailed');
      expect(exported.out.trimEnd().split('\n')).toHaveLength(3);
      expect(await run(`errors changes ${entry?.id}`)).toMatchObject({
        code: 0,
        out: expect.stringContaining('began'),
      });
    });

    it('erase only after a yes', async () => {
      await send('erased', 'token=hunter2');
      const erase = ['lines', 'erase', '--filter', '"token=hunter2"'];
      expect(await master().run(erase)).toMatchObject({
        code: 2,
        err: expect.stringContaining('Erase 1 line for good?'),
      });
      expect(await master().run([...erase, '--yes', '--jq', '.erased'])).toMatchObject({
        code: 0,
        out: '1\n',
        err: expect.stringMatching(
          /^Erased 1 line, and their texts in events, .*\nNot reached: backups in other places/m,
        ),
      });
    });
  });
}
