import { createClient } from '@quarterdeck/sdk';
import { agentSources } from '@quarterdeck/views/agents';
import { expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';

it('finds the source of a host among all whose names begin like it', async () => {
  const server = new FakeServer();
  server.errlog = Array.from({ length: 60 }, (_, n) => entry(n + 1, { src: n + 1, source: `web-1${59 - n || ''}` }));
  const client = createClient({ url: 'http://fake', fetch: server.fetch, apiToken: server.token });
  const found = await agentSources(client, { id: 5, hostname: 'web-1' });
  expect(found.map(({ id, name }) => [id, name])).toEqual([[60, 'web-1']]);
});
