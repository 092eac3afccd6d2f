// A server and a master who uses the command line on it, for the tests of one file.
import { afterAll, beforeAll, expect } from 'vitest';
import '../../server/test/bundled-threads.ts';
import { startApi, type TestApi } from '../../server/test/start-api.ts';
import { newUser, type Ran, type RunOptions, type TestUser } from './run-cli.ts';

/** An error group as the commands print it. */
export interface Entry {
  readonly id: number;
  readonly log: string;
  readonly state: string;
  readonly service: string;
  readonly note: string;
}

/** See the head of this file. */
export type Master = ReturnType<typeof useMaster>;

/** Starts both before the tests of a file, and ends them afterwards. */
export function useMaster(options?: Parameters<typeof startApi>[1]) {
  let api: TestApi;
  let user: TestUser;
  beforeAll(async () => {
    api = await startApi({}, options);
    const { token } = await api.admin.apiToken.create({ body: { name: 'master' } });
    user = newUser({ url: api.url, token });
  });
  afterAll(async () => {
    user[Symbol.dispose]();
    await api[Symbol.asyncDispose]();
  });

  const run = (line: string, how?: RunOptions): Promise<Ran> => user.run(line.split(' '), how);

  /** Runs a command that must succeed, and parses its JSON. */
  async function json<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await user.run([...args, '-o', 'json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  }

  /** Sends lines of a service of their own and returns their groups. */
  async function send(service: string, ...texts: string[]): Promise<Entry[]> {
    const sent = await user.run(['errors', 'send', '--service', service, '--host', `host-of-${service}`], {
      input: texts.map((text) => `${text}\n`).join(''),
    });
    expect(sent).toEqual({ code: 0, out: '', err: '' });
    return json<Entry[]>('errors', 'list', '--service', service, '--sort', 'first_seen');
  }

  return { api: () => api, master: () => user, run, json, send };
}
