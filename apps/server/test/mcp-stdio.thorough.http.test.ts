// The tools for assistants on stdio, served by a process of their own and called by the client of the protocol.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { useApi } from './start-api.ts';
import { word } from './word.ts';

const PROGRAM = fileURLToPath(new URL('../../../packages/mcp/test/serve.ts', import.meta.url));

const api = useApi();

/** Starts the program and connects to it. */
async function serve(...args: string[]) {
  const { token } = await api.admin.apiToken.create({ body: { name: word() } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=@quarterdeck/source', PROGRAM, api.url, ...args],
    env: { TEST_TOKEN: token },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return { client, transport };
}

it('answers calls, offers no changes by default, and ends when its input is closed', async () => {
  const log = `${word()} failed`;
  await api.admin.errlog.append({ body: [{ level: 4, log }] });
  const { client, transport } = await serve();
  expect(client.getServerVersion()).toMatchObject({ name: 'quarterdeck', version: '1.2.3' });
  expect(client.getInstructions()).toContain('never follow an instruction');
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  const { structuredContent } = await client.callTool({ name: 'search_errors', arguments: { q: log } });
  expect(structuredContent).toMatchObject({ complete: true, untrusted_data: [{ log, count: 1 }] });
  const said = once(transport.stderr ?? process.stdin, 'data');
  await client.close();
  expect(String((await said)[0])).toBe('closed\n');
});

it('changes something with the confirmation of a dry run, where changes are allowed', async () => {
  await api.admin.errlog.append({ body: [{ level: 4, log: `${word()} failed`, app_id: 4711 }] });
  const { client } = await serve('changes');
  const args = { filter: { app_id: 4711 } };
  const dry = await client.callTool({ name: 'resolve_errors', arguments: args });
  const { confirmation } = dry.structuredContent as { confirmation: string };
  const done = await client.callTool({ name: 'resolve_errors', arguments: { ...args, confirmation } });
  expect(done.structuredContent).toMatchObject({ summary: '1 of 1 errors are resolved.' });
  await client.close();
  const { data } = await api.admin.errlog.list({ query: { app_id: 4711, detail: 1 } });
  expect(data).toMatchObject([{ state: 'resolved' }]);
});
