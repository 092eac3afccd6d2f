// Connections through a proxy: a request that names the target, or a tunnel for TLS. Node only.
import type { AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent } from 'node:https';
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { proxyAuthorization } from './proxy.ts';

/** Request that a proxy forwards. `target` has the host, name or address, that the proxy connects to. */
export function forwarded(proxy: URL, target: URL, options: RequestOptions): RequestOptions {
  const authorization = proxyAuthorization(proxy);
  return {
    ...options,
    ...placeOf(proxy),
    path: `${target.origin}${options.path ?? '/'}`,
    headers: {
      host: target.host,
      ...(options.headers as Record<string, string>),
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  };
}

/**
 * Opens a tunnel to `host:port`.
 *
 * @throws Error with the code `EPROXY` where the proxy refuses
 */
export function openTunnel(proxy: URL, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const headers = { host: authority, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
  const request: ClientRequest = moduleOf(proxy).request({
    ...placeOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers,
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  });
  const refuse = ({ statusCode }: IncomingMessage) => {
    request.destroy();
    reject(Object.assign(new Error(`the proxy ${proxy.host} answers ${statusCode}`), { code: 'EPROXY' }));
  };
  request.once('error', reject);
  request.once('response', refuse);
  request.once('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      return refuse(answer);
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.end();
  return promise;
}

/** Creates an agent that reaches `https:` targets through tunnels of a proxy, and keeps them as its options say. */
export function createTunnelAgent(proxy: URL, options: AgentOptions): Agent {
  const agent = new (process.getBuiltinModule('node:https').Agent)(options);
  const { connect } = process.getBuiltinModule('node:tls');
  agent.createConnection = (target, callback) => {
    const { host, port, ...rest } = target;
    openTunnel(proxy, host ?? '', Number(port)).then(
      (socket) => callback?.(null, connect({ ...rest, host: host ?? '', socket } as ConnectionOptions)),
      (error: Error) => callback?.(error, new Socket()),
    );
    return undefined;
  };
  return agent;
}

/** Begins a request through a proxy. `agent` keeps tunnels to `https:` targets. */
export function requestVia(proxy: URL, target: URL, options: RequestOptions, agent?: Agent): ClientRequest {
  const path = target.pathname + target.search;
  if (target.protocol === 'http:') return moduleOf(proxy).request(forwarded(proxy, target, { ...options, path }));
  const { request } = process.getBuiltinModule('node:https');
  return request(target, { ...options, agent: agent ?? createTunnelAgent(proxy, {}) });
}

/** Host and port of a proxy as options of a request. */
export const placeOf = ({ hostname, port, protocol }: URL): Pick<RequestOptions, 'host' | 'port' | 'protocol'> => ({
  protocol,
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port || (protocol === 'https:' ? 443 : 80),
});

/** The module that speaks with a proxy. Loaded on demand: encryption costs 5 MB. */
export const moduleOf = ({ protocol }: URL): typeof import('node:http') | typeof import('node:https') =>
  protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
