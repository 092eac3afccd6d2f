// ETag and If-Match: of two programs that read and then write, the second one learns of the first.
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { MadeError } from '../../test/fleet.ts';
import { useSteadyApi } from '../../test/steady-api.ts';

const api = useSteadyApi();

function send(method: string, path: string, ifMatch?: string, body?: object, token = api.adminToken, more = {}) {
  const headers = {
    ...more,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
  };
  return api.fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** Lets an error happen; returns the path of its group. */
async function happened(error: MadeError): Promise<string> {
  const source = { nodeType: 2, nodeId: -1, name: 'web-1', address: '' };
  return `/admin-api/log_server/errlog/${await error.on(source, [Math.floor(api.now() / 1000)])}`;
}

const tagOf = ({ headers }: { headers: Headers }) => headers.get('ETag') ?? '';

interface Noun {
  readonly path: string;
  /** Two changes of one field. */
  readonly changes: readonly [object, object];
  readonly canDelete: boolean;
  /** Query that shows all details, where they are not always shown. */
  readonly allDetails?: '?detail=1';
}

const agentNoun = async (): Promise<Noun> => ({
  path: `/api/agents/${(await api.agent()).id}`,
  changes: [{ labels: { site: 'north' } }, { labels: { site: 'south', tier: '' } }],
  canDelete: true,
  allDetails: '?detail=1',
});

const NOUNS: Readonly<Record<string, () => Promise<Noun>>> = {
  agent: agentNoun,
  user: async () => ({
    path: `/admin-api/user/${(await api.person('viewer')).id}`,
    changes: [{ disabled: true }, { disabled: true, role: 'operator' }],
    canDelete: true,
  }),
  'API token': async () => ({
    path: `/admin-api/api_token/${(await api.admin.apiToken.create({ body: {} })).id}`,
    changes: [{ name: 'nightly' }, { name: 'weekly' }],
    canDelete: true,
    allDetails: '?detail=1',
  }),
  'error group': async () => {
    const path = await happened(new MadeError(api.server.deps.db));
    return { path, changes: [{ note: 'known' }, { note: 'fixed' }], canDelete: false };
  },
  channel: async () => ({
    path: `/admin-api/webhook/${(await api.admin.webhook.create({ body: { name: 'n', kind: 'email', to: ['a@example.com'] } })).id}`,
    changes: [{ enabled: false }, { types: ['agent.outage'] }],
    canDelete: true,
  }),
  policy: async () => {
    await api.admin.user.updatePolicy({ body: { require_2fa: [] } });
    const changes = [{ require_2fa: ['viewer'] }, { require_2fa: ['operator'] }] as const;
    return { path: '/admin-api/user/policy', changes, canDelete: false };
  },
};

describe.each(nonEmpty(Object.entries(NOUNS)))('the version of one %s', (_, make) => {
  it('is in the answer of GET and PUT, with all details and without, and is strong', async () => {
    const { path, changes, allDetails = '' } = await make();
    const before = await send('GET', path);
    expect(tagOf(before)).toMatch(/^"[\w-]{22}"$/);
    expect(tagOf(await send('GET', `${path}${allDetails}`))).toBe(tagOf(before));
    expect(tagOf(await send('HEAD', path))).toBe(tagOf(before));
    const changed = await send('PUT', path, undefined, changes[0]);
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).not.toBe(tagOf(before));
    expect(tagOf(await send('GET', path))).toBe(tagOf(changed));
  });

  it('lets one of two changes through, and shows the other one the current state', async () => {
    const { path, changes, canDelete, allDetails = '' } = await make();
    const seen = tagOf(await send('GET', path));
    const answers = await Promise.all(changes.map((body) => send('PUT', path, seen, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const refused = answers.find(({ status }) => status === 412);
    const now = await send('GET', `${path}${allDetails}`);
    expect(refused?.body.err).toMatchObject({ code: 'precondition_failed' });
    expect(refused?.body.err.current).toMatchObject(
      Object.fromEntries(Object.keys(changes[0]).map((name) => [name, now.body.data[name]])),
    );
    expect(Object.keys(refused?.body.err.current).sort()).toEqual(Object.keys(now.body.data).sort());
    if (!canDelete) return;
    expect((await send('DELETE', path, seen)).status).toBe(412);
    expect((await send('DELETE', path, tagOf(now))).status).toBe(200);
    expect((await send('DELETE', path, '*')).status).toBe(404);
  });
});

it.each([
  ['*', 200],
  ['"other", TAG', 200],
  [', TAG ,,"x"', 200],
  // Proxies that compress an answer write these.
  ['W/TAG', 200],
  ['STATE-gzip"', 200],
  ['W/STATE;gzip"', 200],
  ['"x", STATE--br" ,"y"', 200],
  ['w/TAG', 400],
  ['STATEx"', 412],
  ['STATE:gzip"', 412],
  ['"-gzip"', 412],
  ['"other"', 412],
  ['""', 412],
  ['TAG"', 400],
  ['other', 400],
  ['*, TAG', 400],
])('the version is compared with each of a list, whatever a proxy has made of it: %s', async (header, status) => {
  const { path, changes } = await agentNoun();
  const tag = tagOf(await send('GET', path));
  const ifMatch = header.replace('TAG', tag).replace('STATE', tag.slice(0, -1));
  const known = { 'If-None-Match': ifMatch };
  const read = await send('GET', path, undefined, undefined, undefined, known);
  expect([read.status, tagOf(read)]).toEqual([{ 200: 304, 412: 200, 400: 400 }[status], status === 400 ? '' : tag]);
  const unless = await send('PUT', path, undefined, changes[1], undefined, known);
  expect(unless.status).toBe({ 200: 412, 412: 200, 400: 400 }[status]);
  const answer = await send('PUT', path, ifMatch, changes[0]);
  expect([answer.status, answer.body.err?.code]).toEqual([
    status,
    { 200: undefined, 412: 'precondition_failed', 400: 'bad_request' }[status],
  ]);
});

it('keeps its version while an agent reports and an error happens again', async () => {
  const { client, id } = await api.agent();
  const path = `/api/agents/${id}`;
  const before = tagOf(await send('GET', path));
  await client.agent.heartbeat({ params: { id }, body: { progress: { current: 7, detail: 'packing' } } });
  expect(tagOf(await send('GET', path))).toBe(before);
  const error = new MadeError(api.server.deps.db);
  const groupPath = await happened(error);
  const before2 = tagOf(await send('GET', groupPath));
  api.advance(2_000);
  await happened(error);
  expect(tagOf(await send('GET', groupPath))).toBe(before2);
});

it('does not show the current state to a caller who may not read it', async () => {
  const { id } = await api.agent();
  const { token } = await api.admin.apiToken.create({ body: { scopes: ['agent:write'] } });
  const answer = await send('PUT', `/api/agents/${id}`, '"other"', { note: 'x' }, token);
  expect([answer.status, answer.body.err.code, answer.body.err.current]).toEqual([
    412,
    'precondition_failed',
    undefined,
  ]);
});

it('does not reveal a deleted agent by its version', async () => {
  const { id } = await api.agent();
  await send('DELETE', `/api/agents/${id}`);
  const hidden = await send('GET', `/api/agents/${id}`);
  expect([hidden.status, tagOf(hidden)]).toEqual([404, '']);
  const shown = await send('GET', `/api/agents/${id}?include_deleted=1`);
  expect([shown.status, tagOf(shown)]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)]);
});

it('has no version of an agent as it was', async () => {
  const { id } = await api.agent();
  api.advance(2_000);
  const answer = await send('GET', `/api/agents/${id}?at=${Math.floor(api.now() / 1000)}`);
  expect([answer.status, tagOf(answer)]).toEqual([200, '']);
});
