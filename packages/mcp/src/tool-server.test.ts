import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Client, createClient, type Send } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { serveStdio } from './stdio.ts';

/** Calls a tool of a served client, message by message; returns the result and the reported errors. */
async function callTool(client: Client, name: string, args: object) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const reported: unknown[] = [];
  const served = serveStdio(client, { version: '1', input, output, onError: (error) => reported.push(error) });
  const ask = async (id: number, method: string, params: object) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse(String((await once(output, 'data'))[0])).result;
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const result = await ask(2, 'tools/call', { name, arguments: args });
  input.end();
  await served;
  return { result, reported };
}

/** A client of a server that answers everything alike. */
function clientOf(status: number, body: object): Client {
  const fetch: Send = async () => Response.json(body, { status });
  return createClient({ url: 'http://quarterdeck.test', fetch, retries: 0 });
}

it('tells the assistant what the API refuses, cleaned and without more than that', async () => {
  const message = `Wrong \u001b[31mfilter\u202E. ${'x'.repeat(5000)}`;
  const err = { code: 'validation_failed', fields: [{ path: 'query.filter', message: 'is wrong' }] };
  const refusal = { status: 400, msg: message, err, request_id: 'request-1' };
  const { result, reported } = await callTool(clientOf(400, refusal), 'outages', {});
  expect(result.isError).toBe(true);
  expect(result.content[0].text).toMatch(/^validation_failed \(status 400/);
  expect(result.content[0].text).toContain('Wrong filter. x');
  expect(result.content[0].text.length).toBeLessThanOrEqual(1000);
  expect(reported).toEqual([]);
});

it('tells the assistant nothing of a defect, and reports it', async () => {
  const defect = new Error('secret detail');
  const client = { outage: { list: () => Promise.reject(defect) } } as unknown as Client;
  const { result, reported } = await callTool(client, 'outages', {});
  expect(result).toMatchObject({ isError: true, content: [{ text: 'The tool failed because of an internal error.' }] });
  expect(reported).toEqual([defect]);
});

it('does not fail when the server answers with what no version of the API sends', async () => {
  const { result } = await callTool(clientOf(200, { status: 0, time: 1, data: null }), 'outages', {});
  expect(result.isError).toBe(true);
});
