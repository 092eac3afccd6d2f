// Calls that tests of the error log make.
import type { ErrlogLine } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import type { Answer, TestApi } from './start-api.ts';

/** Path that lines are sent to and listed at. */
export const ERRLOG_PATH = '/admin-api/log_server/errlog';

/** The calls of one test file, to the server that it has started by then. */
export function errlogCalls(api: () => TestApi) {
  let apps = 1_000;
  const list = (query: Parameters<Client['errlog']['list']>[0] = {}) => api().admin.errlog.list(query);
  return {
    list,
    nowS: () => Math.floor(api().now() / 1000),
    /** An application that no other test of the file has, so that a list can be narrowed to one's own lines. */
    newApp(): number {
      apps += 1;
      return apps;
    },
    /** A batch as it goes over the wire. */
    async send(body: unknown, type = 'application/json', token = api().adminToken): Promise<Answer> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { 'edge-token': token, 'Content-Type': type };
      return api().fetch(ERRLOG_PATH, { method: 'POST', headers, body: text });
    },
    listOf: async (appId: number) => (await list({ query: { app_id: appId, detail: 1 } })).data,
    append: (lines: ErrlogLine[], client = api().admin) => client.errlog.append({ body: lines }),
  };
}
