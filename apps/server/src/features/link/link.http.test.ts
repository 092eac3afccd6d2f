// Read-only links: what they show, what they never show, and what ends them (wire contract section 12).
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { bodyFor } from '../../../test/callers.ts';
import { pathOf, RAW_ROUTES, ROUTES } from '../../../test/endpoints.ts';
import { PASSWORD } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const PUBLIC_URL = 'https://logs.example.com/qd';
const api = useSteadyApi({ PUBLIC_URL });

const DAY_MS = 86_400_000;
const keyOf = (url: string): string => url.split('#link=')[1] ?? '';

let errorId = 0;
let alertId = 0;
let marker = '';

beforeAll(async () => {
  marker = word();
  await api.admin.errlog.append({ body: { level: 'error', log: `payment ${marker} failed` } });
  errorId = (await api.admin.errlog.list({ query: { q: marker } })).data[0]?.id ?? 0;
  const rule = await api.admin.alert.create({ body: { name: word(), when: { kind: 'errlog.new' } } });
  const sinceMs = BigInt(api.now());
  const data = { ruleId: rule.id, key: `group:${errorId}`, title: marker, detail: '{}', state: 'firing', sinceMs };
  const stored = { ...data, groups: JSON.stringify([errorId]), firedMs: sinceMs, notifiedMs: sinceMs };
  alertId = Number((await api.server.deps.db.write((tx) => tx.prisma.alert.create({ data: stored }))).id);
});

const read = (path: string, key: string, init: RequestInit = {}) =>
  api.fetch(path, { ...init, headers: { 'Quarterdeck-Link': key, ...init.headers } });
const outcome = async (path: string, key: string): Promise<string> => {
  const { status, body } = await read(path, key);
  return status === 200 ? '200' : `${status} ${body.err.code}`;
};
const errorPath = (more = ''): string => `/admin-api/log_server/errlog/${errorId}${more}`;
const alertPath = (): string => `/admin-api/alert/instance/${alertId}`;

describe('a link to an error', () => {
  it('is an address with the key in its fragment, for seven days', async () => {
    const { id, url, expire } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
    expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/e/${errorId}#link=qd_l_\\w{49}$`));
    expect(expire).toBe(api.now() + 7 * DAY_MS);
    const { data } = await api.admin.link.ofError({ params: { id: errorId } });
    expect(data[0]).toMatchObject({ id, expire, created_by: 'admin', last_used: null });
    expect(JSON.stringify(data)).not.toContain('qd_l_');
  });

  it('shows the error, its lines and the changes before it', async () => {
    const { url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
    const key = keyOf(url);
    expect((await read(errorPath(), key)).body.data.log).toContain(marker);
    expect((await read(errorPath('/events'), key)).body.data.data[0].log).toContain(marker);
    expect(await outcome(errorPath('/changes'), key)).toBe('200');
  });

  it('masks what may be a secret in its texts and fields', async () => {
    const mark = word();
    const log = `${mark} refused https://app:hunter2@db/x?key=abc for ada@example.org, password=tr0ub4dor`;
    await api.admin.errlog.append({
      body: { level: 'error', log, fields: { cookie: 'sid=1', client: '203.0.113.9' } },
    });
    const id = (await api.admin.errlog.list({ query: { q: mark } })).data[0]?.id ?? 0;
    const { url } = await api.admin.link.createForError({ params: { id }, body: {} });
    for (const path of ['', '/events']) {
      const text = JSON.stringify((await read(`/admin-api/log_server/errlog/${id}${path}`, keyOf(url))).body);
      expect(text).toContain(`${mark} refused https://***@db/x?key=*** for ***, password=***`);
      expect(text).not.toMatch(/hunter2|abc|ada@|tr0ub4dor|sid=1/);
    }
  });

  it('shows no other error, and no alert', async () => {
    await api.admin.errlog.append({ body: { level: 'error', log: `another ${word()} failed` } });
    const { url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
    const key = keyOf(url);
    expect(await outcome(`/admin-api/log_server/errlog/${errorId + 1}`, key)).toBe('403 forbidden');
    expect(await outcome(alertPath(), key)).toBe('403 forbidden');
    expect(await outcome(`/admin-api/log_server/errlog/%30${errorId}`, key)).toBe('403 forbidden');
  });
});

describe('a link to an alert', () => {
  it('shows the alert with its lines, and not its error', async () => {
    const { url } = await api.admin.link.createForAlert({ params: { id: alertId }, body: {} });
    expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/a/${alertId}#link=qd_l_`));
    const { body } = await read(alertPath(), keyOf(url));
    expect(body.data.lines[0].log).toContain(marker);
    expect(await outcome(errorPath(), keyOf(url))).toBe('403 forbidden');
  });

  it('is made only by who may read the alert, and for an alert that there is', async () => {
    const { client } = await api.person('viewer');
    await expect(client.link.createForAlert({ params: { id: alertId }, body: {} })).rejects.toMatchObject({
      status: 403,
    });
    await expect(api.admin.link.createForAlert({ params: { id: 999_999 }, body: {} })).rejects.toMatchObject({
      status: 404,
    });
    await expect(api.admin.link.createForError({ params: { id: 999_999 }, body: {} })).rejects.toMatchObject({
      status: 404,
    });
  });
});

const OTHERS = [...ROUTES, ...RAW_ROUTES].filter(
  ({ access, name }) => access !== 'public' && !/^(?:errlog\.(?:get|occurrences|changes)|webhookCallback)$/.test(name),
);

it('a link opens no other endpoint', async () => {
  const { url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
  const headers = { 'Quarterdeck-Link': keyOf(url), 'Content-Type': 'application/json' };
  const open = async (route: (typeof OTHERS)[number]): Promise<[string, number]> => {
    const body = route.method === 'GET' ? undefined : bodyFor(route);
    const init = { method: route.method, headers, ...(body !== undefined && { body }) };
    const response = await fetch(api.url + pathOf(route, errorId), init);
    await response.body?.cancel();
    return [`${route.method} ${route.path}`, response.status];
  };
  const answers = await Promise.all(nonEmpty(OTHERS).map(open));
  expect(answers.filter(([, status]) => status !== 401 && status !== 403)).toEqual([]);
});

describe('a link ends', () => {
  it('when it is revoked', async () => {
    const { id, url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
    expect(await outcome(errorPath(), keyOf(url))).toBe('200');
    // By the path of what it shows, and no other.
    const wrong = api.admin.link.removeOfError({ params: { id: errorId + 1, link: id } });
    await expect(wrong).rejects.toMatchObject({ status: 404 });
    await api.admin.link.removeOfError({ params: { id: errorId, link: id } });
    expect(await outcome(errorPath(), keyOf(url))).toBe('401 credential_invalid');
    const { data } = await api.admin.audit.list({ query: { page_size: 2 } });
    expect(data[0]).toMatchObject({ action: 'link.delete', target: { kind: 'errlog', id: errorId } });
  });

  it('at its time, which is within 30 days', async () => {
    for (const expire of [0, api.now() - 1, api.now() + 31 * DAY_MS]) {
      const made = api.admin.link.createForError({ params: { id: errorId }, body: { expire } });
      await expect(made).rejects.toMatchObject({ code: 'validation_failed' });
    }
    const expire = api.now() + 60_000;
    const { url } = await api.admin.link.createForError({ params: { id: errorId }, body: { expire } });
    expect(await outcome(errorPath(), keyOf(url))).toBe('200');
    api.advance(60_000);
    expect(await outcome(errorPath(), keyOf(url))).toBe('401 token_expired');
  });

  it('when its author is disabled, or may not read it any more', async () => {
    const { client, id } = await api.person('operator');
    const { url } = await client.link.createForError({ params: { id: errorId }, body: {} });
    expect(await outcome(errorPath(), keyOf(url))).toBe('200');
    await api.admin.user.update({ params: { id }, body: { disabled: true } });
    expect(await outcome(errorPath(), keyOf(url))).toBe('401 credential_invalid');
    await api.admin.user.update({ params: { id }, body: { disabled: false } });
    expect(await outcome(errorPath(), keyOf(url))).toBe('200');
    await api.admin.user.confirm({ body: { password: PASSWORD } });
    await api.admin.user.remove({ params: { id } });
    expect(await outcome(errorPath(), keyOf(url))).toBe('401 credential_invalid');
  });

  it.runIf(IS_THOROUGH)('with its row, a day after its end', async () => {
    const expire = api.now() + 1_000;
    await api.admin.link.createForError({ params: { id: errorId }, body: { expire } });
    api.advance(DAY_MS + 2_000);
    await api.server.jobs.runAll();
    const { prisma } = api.server.deps.db.read;
    expect(await prisma.sharedLink.count({ where: { expireMs: expire } })).toBe(0);
  });
});

it.runIf(IS_THOROUGH)('a link tells when it was last used', async () => {
  const { id, url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
  await read(errorPath(), keyOf(url));
  await api.server.jobs.runAll();
  const { data } = await api.admin.link.ofError({ params: { id: errorId } });
  expect(data.find((one) => one.id === id)?.last_used).toBe(api.now() / 1000);
});

it.runIf(IS_THOROUGH)('nobody has more than 100 links', async () => {
  const { client } = await api.person('operator');
  const make = () => client.link.createForError({ params: { id: errorId }, body: {} });
  for (let made = 0; made < 100; made += 1) await make();
  await expect(make()).rejects.toMatchObject({ code: 'conflict' });
});

it('a key of another kind, and a text that is none, are refused', async () => {
  const { token } = await api.admin.apiToken.create({ body: { name: word() } });
  for (const key of [token, api.adminToken, 'qd_l_wrong', 'x']) {
    expect(await outcome(errorPath(), key)).toBe('401 credential_invalid');
  }
  expect(await outcome(errorPath(), '')).toBe('401 credential_missing');
  const { url } = await api.admin.link.createForError({ params: { id: errorId }, body: {} });
  const asToken = await api.fetch(errorPath(), { headers: { 'API-Token': keyOf(url) } });
  expect(asToken.status).toBe(401);
});
