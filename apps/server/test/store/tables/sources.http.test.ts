// Names of sources: a name belongs to who had it first, and stored lines keep the name that they came with.
import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import { nameAgent } from '../../../../../packages/store/src/tables/sender-names.ts';
import { useApi } from '../../start-api.ts';
import { word } from '../../word.ts';

const api = useApi();

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

  it('has a mark where an agent or another sender had its name first', async () => {
    const host = word();
    const agents = [await sendAsAgent(host, 2), await sendAsAgent(host.toUpperCase(), 2)];
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id: 2, host } });
    const names = [host, `${host.toUpperCase()} (agent ${agents[1]})`, `${host} (127.0.0.1)`].sort();
    expect(await namesOf(2)).toEqual(names.map((name) => [name, name]).sort());
    const count = async (filter: string) => (await api.admin.errlog.list({ query: { app_id: 2, filter } })).meta.count;
    for (const filter of [
      `host:${host}`,
      `source:"${host} (127.0.0.1)"`,
      `(source:"${host} (127.0.0.1)" nobody) OR req:"" source:"${host} (127.0.0.1)"`,
    ]) {
      expect(await count(filter), filter).toBe(1);
    }
    expect(await count(`host:${host}*`)).toBe(3);
    const { sources } = await api.admin.errlog.facets({ query: { app_id: 2 } });
    expect(sources.map(({ name }) => name).sort()).toEqual(names);
    const { data } = await api.admin.errlog.sources({ query: { q: host } });
    expect(
      data
        .map(({ name }) => name)
        .filter((name) => names.includes(name))
        .sort(),
    ).toEqual(names);

    const first = word();
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id: 3, host: first } });
    const id = await sendAsAgent(first, 3);
    expect(await namesOf(3)).toEqual([first, `${first} (agent ${id})`].map((name) => [name, name]).sort());
  });

  it('takes neither the name of this server nor a mark, and shows no hidden character', async () => {
    for (const hostname of ['quarterdeck', 'Quarter\u200bdeck', 'agent 1', 'victim (agent 1)', 'v (192.0.2.1)']) {
      const shown = hostname.replace('\u200b', '');
      const id = await sendAsAgent(hostname, 4);
      expect(await namesOf(4), hostname).toContainEqual([`${shown} (agent ${id})`, `${shown} (agent ${id})`]);
    }
    const [plain, dressed] = [word(), word()];
    const id = await sendAsAgent(plain, 5);
    await sendAsAgent(`\u202e${plain.slice(0, 3)}\u200d\u2066${plain.slice(3)}\u00ad`, 5);
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id: 5, host: `${dressed}\u200b\u3164` } });
    const names = (await namesOf(5)).map(([name]) => name ?? '');
    expect(names).toContain(plain);
    expect(names).toContain(dressed);
    expect(names.filter((name) => name.startsWith(plain))).toHaveLength(2);
    expect((await api.admin.agent.get({ params: { id } })).hostname).toBe(plain);
  });

  it('has the id of its agent as its name after 1,000 names', async () => {
    const id = await sendAsAgent(word(), 8);
    await api.admin.errlog.append({
      body: Array.from({ length: 1_000 }, (_, i) => ({ level: 4, log: `x ${i}`, app_id: 9 })),
    });
    const { next = 0 } =
      (await api.server.deps.db.read.sql.get<{ next: number }>(
        statement('SELECT max(last_id) - 999 AS next FROM errlog_segment'),
      )) ?? {};
    const names = Array.from({ length: 999 }, (_, i) => `(${id}, ${next + i}, '${i}', '${i}') `);
    const text = `INSERT INTO agent_name (agent_id, from_line, name, name_key) VALUES ${names.join()}`;
    await api.server.deps.db.write(({ sql }) => sql.run(statement(text)));
    await api.server.deps.db.write((tx) => nameAgent(tx, id, 'one more'));
    await api.server.deps.db.write((tx) => nameAgent(tx, id, 'and another'));
    expect(await namesOf(8)).toEqual([[`agent ${id}`, `agent ${id}`]]);
  });

  it('is free again once its agent is deleted', async () => {
    const host = word();
    const { id, client } = await api.agent();
    await client.agent.heartbeat({ params: { id }, body: { hostname: host } });
    await api.admin.agent.remove({ params: { id } });
    await sendAsAgent(host, 6);
    expect(await namesOf(6)).toEqual([[host, host]]);
  });
});

describe('a stored line', () => {
  it('keeps the host that its agent had, fresh and packed, whatever the agent is called later', async () => {
    const [victim, evil, log] = [word(), word(), word()];
    await sendAsAgent(victim, 7);
    const { id, client } = await api.agent();
    const as = async (hostname: string) => {
      await client.agent.heartbeat({ params: { id }, body: { hostname } });
      await client.errlog.append({ body: { level: 4, log, app_id: 7 } });
    };
    const check = async () => {
      const hostsOf = async (filter: string) => {
        const { data } = await api.admin.line.list({ query: { app_id: 7, filter } });
        return data.map((line) => line.host).reverse();
      };
      const taken = `${victim} (agent ${id})`;
      expect(await hostsOf(`"${log}"`)).toEqual([evil, evil, taken]);
      expect(await hostsOf(`host:${evil} "${log}"`)).toEqual([evil, evil]);
      expect(await hostsOf(`-host:${evil} "${log}"`)).toEqual([taken]);
      expect(await hostsOf(`host:${victim}`)).toEqual([victim]);
      const { values } = await api.admin.line.values({ query: { app_id: 7, field: 'host' } });
      expect(values.map(({ value, count }) => [value, count]).sort()).toEqual(
        [
          [evil, 2],
          [taken, 1],
          [victim, 1],
        ].sort(),
      );
      // One error, whatever its host is called.
      expect(await namesOf(7)).toEqual([victim, taken].map((name) => [name, name]).sort());
    };
    await as(evil);
    await client.errlog.append({ body: { level: 4, log, app_id: 7 } });
    await as(victim);
    await check();
    const packer = createPacker(api.server.deps.db);
    await packer.packAll();
    await packer.close();
    await check();
  });
});
