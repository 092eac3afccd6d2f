// Erasing lines over HTTP.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { filesOf } from '../../../test/contents.ts';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const api = useApi();

const { append, newApp, nowS } = errlogCalls(() => api);

const erase = (filter: string, dry_run = false) => api.admin.line.erase({ body: { filter, dry_run } });
const logsOf = async (app_id: number) =>
  (await api.admin.line.list({ query: { app_id, limit: 1000 } })).data.map(({ log }) => log);
/** Copies in a server without channels. */
const COPIES = { alerts: 0, messages: 0, sent: 0, backups: [] };
const sha256 = (filter: string) => createHash('sha256').update(filter).digest('hex');
/** Audit entries about the erasing of a filter, newest first. */
const audited = async (filter: string) =>
  (await api.admin.audit.list({ query: { action: 'line', page_size: 100 } })).data.filter(
    ({ detail }) => detail['filter_sha256'] === sha256(filter),
  );

describe('POST /admin-api/log_server/line/erase', () => {
  it('counts, then erases; groups keep their counts, and the audit log has only the hash', async () => {
    const app_id = newApp();
    const secret = `hunter2-${word()}`;
    const lineOf = (token: string) => ({ level: 4, log: `token="${token}" was refused`, app_id, log_time: nowS() });
    await append([lineOf('first'), lineOf(secret), lineOf('third'), lineOf(secret)]);
    const filter = `"${secret}" app:${app_id}`;
    expect(await erase(filter, true)).toEqual({ matched: 2, erased: 0, groups: 1, ...COPIES });
    expect(await logsOf(app_id)).toHaveLength(4);
    expect(await audited(filter)).toEqual([]);

    expect(await erase(filter)).toEqual({ matched: 2, erased: 2, groups: 1, ...COPIES });
    expect(await logsOf(app_id)).toEqual(['third', 'first'].map((token) => lineOf(token).log));
    const [group] = (await api.admin.errlog.list({ query: { app_id } })).data;
    expect(group).toMatchObject({ count: 4, log: lineOf('third').log });
    const filter_sha256 = sha256(filter);
    const entries = await audited(filter);
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['line.erased', { filter_sha256, matched: 2, erased: 2, groups: 1, ...COPIES }],
      ['line.erase', { filter_sha256 }],
    ]);
    expect(JSON.stringify([entries, api.logged])).not.toContain(secret);
    const folder = api.sharing['DATA_DIR'] ?? '';
    const holding = Object.entries(filesOf(folder)).filter(([, bytes]) => bytes.includes(secret));
    expect(holding.map(([name]) => name)).toEqual([]);
    expect(await erase(filter)).toMatchObject({ matched: 0, erased: 0, groups: 0 });
  });

  it('takes every term that says something about a line', async () => {
    const app_id = newApp();
    const agent = await api.agent();
    const line = { level: 4, log: '', app_id, log_time: nowS() - 100 };
    const [old, ours, request, client, kept] = ['old', 'ours', 'request', 'x, client: 10.8.8.8, server: s', 'kept'];
    await append([{ ...line, log: ours }], agent.client);
    await append([
      { ...line, log: old, log_time: nowS() - 90_000 },
      { ...line, log: request, req_id: 'erase-me' },
      { ...line, log: client },
      { ...line, log: kept, level: 6 },
    ]);
    // Also where the lines are packed.
    await api.server.jobs.runAll();
    for (const [term, log] of [
      [`host:"host-${agent.nodeId}"`, ours],
      ['until:1d', old],
      ['req:erase-me', request],
      ['client:10.8.8.*', client],
    ] as const) {
      expect(await erase(`app:${app_id} ${term}`), term).toMatchObject({ matched: 1, erased: 1 });
      expect(await logsOf(app_id), term).not.toContain(log);
    }
    expect(await logsOf(app_id)).toEqual([kept]);
  });

  it('refuses a filter of all lines, of states, and one that cannot be read', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: 'stays', app_id }]);
    for (const filter of ['', ' ', '*', 'x OR *', 'app:1 state:new', '-state:muted', 'level:loud', '"open']) {
      await expect(erase(filter), filter).rejects.toMatchObject({
        status: 400,
        code: 'validation_failed',
        fields: [{ path: 'body.filter' }],
      });
    }
    expect(await logsOf(app_id)).toEqual(['stays']);
  });
});
