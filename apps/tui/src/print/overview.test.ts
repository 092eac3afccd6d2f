import { describe, expect, it } from 'vitest';
import { agent, apiToken, entry, FakeServer } from '../../test/fake-server.ts';
import { outage } from '../../test/fleet-rows.ts';
import { width } from '../text/width.ts';
import { overviewJson, overviewText, readOverview } from './overview.ts';

async function overview() {
  const server = new FakeServer();
  server.errlog = Array.from({ length: 30 }, (_, index) =>
    entry(index + 1, { log: `bad \u001B[31m thing ${index + 1}` }),
  );
  server.tokens = [apiToken(1, { name: 'ci\u0007', expire: Date.now() + 5 * 86_400_000 }), apiToken(2)];
  server.agents = [agent(1), agent(2, { online: false, hostname: 'gone\u0007' })];
  server.outages = [outage(1, { lost: 4, returned: 1, sample: [{ id: 2, hostname: 'gone\u0007' }] })];
  const profile = { name: 'test', url: server.url, color: 'none', readOnly: false, isProtected: false } as const;
  return readOverview({ profile, apiToken: server.token }, server.fetch);
}

describe('the overview without a screen', () => {
  it('prints the newest errors and the agents as text', async () => {
    const text = overviewText(await overview(), Date.now(), 80);
    expect(text).toMatch(/Agents: 1 online, 1 offline\n {2}4 agents went silent together at .*\n {2}gone␇\n/);
    expect(text).toContain('Errors: 30, the newest 20:');
    expect(text).toContain('bad ␛[31m thing 30');
    expect(text).toContain('Expiring API tokens:\n  ci␇: in 5 days\n');
    expect(text).toContain('  levels: ERROR 30\n  states: new 30\n');
    for (const line of text.trimEnd().split('\n')) expect(width(line)).toBeLessThanOrEqual(80);
  });

  it('prints JSON with control characters escaped', async () => {
    const json = overviewJson(await overview());
    expect(json.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(json)).toMatchObject({
      agents: {
        online: 1,
        offline: 1,
        states: { online: 1, offline: 1 },
        versions: { 1: 2 },
        offline_hosts: ['gone\u0007'],
        outage: { lost: 4, returned: 1 },
      },
      errors: { total: 30, levels: { ERROR: 30 }, states: { new: 30 } },
      tokens_ending: [{ name: 'ci\u0007' }],
    });
  });

  it('leaves out what the token may not see', async () => {
    const server = new FakeServer();
    server.permissions = ['agent:read'];
    const profile = { name: 'test', url: server.url, color: 'none', readOnly: false, isProtected: false } as const;
    const seen = await readOverview({ profile, apiToken: server.token }, server.fetch);
    expect(seen).toMatchObject({ errors: null, tokens_ending: null, agents: { online: 0 } });
    expect(overviewText(seen, Date.now(), 80)).not.toContain('Errors');
  });
});
