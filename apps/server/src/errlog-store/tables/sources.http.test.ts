// Names of sources: two of one name are told apart, and their host stays the name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Registers an agent of a host and sends one line with its secret. */
async function sendAsAgent(hostname: string, app_id: number): Promise<number> {
  const { id, client } = await api.agent();
  await client.agent.heartbeat({ params: { id }, body: { hostname } });
  await client.errlog.append({ body: { level: 4, log: word(), app_id } });
  return id;
}

/** Sources and hosts of an application's groups. */
async function namesOf(app_id: number) {
  const { data } = await api.admin.errlog.list({ query: { app_id, detail: 1 } });
  return data.map(({ source, host }) => [source, host]).sort();
}

describe('a source', () => {
  it('whose name no other has is shown by its name', async () => {
    const host = word();
    await sendAsAgent(host, 1);
    expect(await namesOf(1)).toEqual([[host, host]]);
  });

  it('is told apart from those of other agents and senders with the same name', async () => {
    const host = word();
    const agents = [await sendAsAgent(host, 2), await sendAsAgent(host, 2)];
    expect(await namesOf(2)).toEqual(agents.map((id) => [`${host} (agent ${id})`, host]).sort());
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id: 2, host } });
    const names = [...agents.map((id) => `${host} (agent ${id})`), `${host} (127.0.0.1)`].sort();
    expect(await namesOf(2)).toEqual(names.map((name) => [name, host]));

    const byHost = await api.admin.errlog.list({ query: { app_id: 2, filter: `host:${host}` } });
    expect(byHost.meta.count).toBe(3);
    const [id = 0] = agents;
    for (const filter of [
      `source:"${host} (agent ${id})"`,
      `(source:"${host} (agent ${id})" nobody) OR req:"" source:"${host} (agent ${id})"`,
    ]) {
      expect((await api.admin.errlog.list({ query: { app_id: 2, filter } })).meta.count, filter).toBe(1);
    }

    const { sources } = await api.admin.errlog.facets({ query: { app_id: 2 } });
    expect(sources.map(({ name }) => name).sort()).toEqual(names);
    const { data } = await api.admin.errlog.sources({ query: { q: host } });
    expect(data.map(({ name }) => name).sort()).toEqual(names);
  });

  it('is told apart from an agent of its name only if that agent has sent lines', async () => {
    const host = word();
    const { id, client } = await api.agent();
    await client.agent.heartbeat({ params: { id }, body: { hostname: host } });
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id: 3, host } });
    expect(await namesOf(3)).toEqual([[host, host]]);
  });
});
