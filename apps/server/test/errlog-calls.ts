// Calls that tests of the error log make.
import type { ErrlogLine } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import type { Answer, TestApi } from './start-api.ts';

/** Path that lines are sent to and listed at. */
export const ERRLOG_PATH = '/admin-api/log_server/errlog';

interface SendOptions {
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let apps = 1_000;

/** The calls of one test file, to the server that it has started by then. */
export function errlogCalls(api: () => TestApi) {
  const list = (query: Parameters<Client['errlog']['list']>[0] = {}) => api().admin.errlog.list(query);
  return {
    list,
    nowS: () => Math.floor(api().now() / 1000),
    /** An application that no other test of the worker has, so that a list can be narrowed to one's own lines. */
    newApp(): number {
      apps += 1;
      return apps;
    },
    /** A batch as it goes over the wire. */
    async send(body: unknown, type = 'application/json', { query = '', ...more }: SendOptions = {}): Promise<Answer> {
      const headers = { 'edge-token': api().adminToken, 'Content-Type': type, ...more.headers };
      const isBytes = typeof body === 'string' || body instanceof Uint8Array;
      const init = { method: 'POST', headers, body: isBytes ? (body as string) : JSON.stringify(body) };
      return api().fetch(ERRLOG_PATH + query, init);
    },
    listOf: async (appId: number) => (await list({ query: { app_id: appId, detail: 1 } })).data,
    /** Returns the sum of the counts of an application's errors. */
    async countOf(appId: number): Promise<number> {
      const { data } = await list({ query: { app_id: appId, page_size: 10_000 } });
      return data.reduce((sum, { count }) => sum + count, 0);
    },
    append: (lines: ErrlogLine[], client = api().admin) => client.errlog.append({ body: lines }),
  };
}
