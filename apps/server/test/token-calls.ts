// Requests with an API token and the permissions that they need: for the tests of used scopes.
import type { Permission } from '@quarterdeck/core';
import type { TestApi } from './start-api.ts';
import { word } from './word.ts';

/** A request, and the permissions that it needs. */
export interface Call {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: string | object | undefined;
  readonly type?: string;
  readonly needs: readonly Permission[];
}

export const LINE = { level: 'error', log: 'payment failed' };
const OTLP = {
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'failed' }, severityNumber: 17 }] }] }],
};
const LOKI = { streams: [{ stream: { service_name: 'pay' }, values: [['1764000000000000000', 'failed']] }] };

/** One call of every kind: endpoints of the contract, and every route outside of it that takes a token. */
export const CALLS: readonly Call[] = [
  { path: '/admin-api/log_server/errlog', needs: ['errlog:read'] },
  { path: '/api/v1/log_server/errlog', needs: ['errlog:read'] },
  { path: '/admin-api/log_server/errlog/export', needs: ['errlog:read'] },
  { path: '/admin-api/log_server/line/export', needs: ['errlog:read'] },
  { path: '/admin-api/log_server/errlog', method: 'POST', body: LINE, needs: ['errlog:write'] },
  { path: '/v1/logs', method: 'POST', body: OTLP, needs: ['errlog:write'] },
  { path: '/loki/api/v1/push', method: 'POST', body: LOKI, needs: ['errlog:write'] },
  {
    path: '/_bulk',
    method: 'POST',
    body: '{"create":{}}\n{"message":"failed"}\n',
    type: 'application/x-ndjson',
    needs: ['errlog:write'],
  },
  { path: '/api/agents', needs: ['agent:read'] },
  { path: '/admin-api/change', method: 'POST', body: { kind: 'deploy', name: 'pay' }, needs: ['change:write'] },
  { path: '/admin-api/events?types=agent.changed', needs: ['agent:read'] },
  { path: '/admin-api/events', needs: [] },
  { path: '/admin-api/user/me', needs: [] },
  { path: '/admin-api/user/list', needs: ['user:read'] },
  { path: '/admin-api/audit/export', needs: ['audit:read'] },
  { path: '/metrics', needs: ['metrics:read'] },
  {
    path: '/mcp',
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'outages', arguments: {} } },
    needs: ['agent:read'],
  },
  {
    path: '/admin-api/api_token',
    method: 'POST',
    body: { name: 'of a token', scopes: ['enrollment:manage'] },
    needs: ['api_token:write', 'enrollment:manage'],
  },
  {
    path: '/admin-api/alert/preview',
    method: 'POST',
    body: { when: { kind: 'errlog.new' } },
    needs: ['alert:write', 'errlog:read'],
  },
];

/** An event stream, tools and the older prefix answer others than those who have the permission, with other data. */
export const isRefusedWithout = ({ path, needs }: Call) => needs.length > 0 && !/events|mcp|^\/api\/v1/.test(path);

/** Creates the functions that use and narrow tokens of the server of a test file. */
export function tokenCalls(api: () => TestApi) {
  return {
    /** Creates an API token of the administrator. */
    newToken: (scopes?: Permission[]) => api().admin.apiToken.create({ body: { name: word(), scopes } }),

    narrow: (id: number, dry_run = false) => api().admin.apiToken.narrow({ params: { id }, body: { dry_run } }),

    /** Sends a request; returns its status. */
    async send({ path, method = 'GET', body, type = 'application/json' }: Call, token: string): Promise<string> {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' };
      const response = await fetch(api().url + path, {
        method,
        headers: { ...headers, 'Content-Type': type },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      // An event stream does not end.
      await response.body?.cancel();
      return String(response.status);
    },
  };
}
