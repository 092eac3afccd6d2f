// Traces and metrics that a server in a process of its own sends to a collector, over HTTP as OTLP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { IS_THOROUGH } from '../../../test/thoroughness.ts';
import { startServerProcess } from './server-process.ts';
import { PASSWORD } from './start-api.ts';

/** Writes the URL of each module of OpenTelemetry to the output. */
const TELL = `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    if (url.includes("@opentelemetry/")) console.error('loads ' + url);
    return next(url, context);
  } });`;

/** Time limit of a test: on a busy machine a process takes long to start. */
const LIMIT_MS = 90_000;

/** A message that the collector got. */
interface Message {
  readonly path: string;
  readonly type: string;
  readonly secret: string | undefined;
  readonly body: Buffer;
}

const messages: Message[] = [];
const collector = createServer(async (req, res) => {
  const bytes = await buffer(req);
  const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  const { 'content-type': type = '', 'x-collector-key': secret } = req.headers;
  messages.push({ path: req.url ?? '', type, secret: secret as string | undefined, body });
  res.setHeader('Content-Type', type).end(type === 'application/json' ? '{}' : '');
});
let endpoint = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => void collector.close());

function start(env: Readonly<Record<string, string>>) {
  return startServerProcess({
    QUARTERDECK_DATA_DIR: newFolder(),
    QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    ...env,
  });
}

const SIGN_IN = {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  body: JSON.stringify({ username: 'admin', password: PASSWORD }),
};

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** All spans of JSON messages. */
function spans(): Span[] {
  return messages
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope) => scope.spans as Span[]);
}

describe('a server without a collector', () => {
  it('loads nothing of OpenTelemetry but the interface that prom-client asks for', { timeout: LIMIT_MS }, async () => {
    const server = await start({
      OTEL_SERVICE_NAME: 'nobody',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}`,
    });
    await fetch(`${server.url}/admin-api/user/login`, SIGN_IN);
    await server.stop();
    const loaded = server.output().match(/loads .*@opentelemetry\/\w[\w-]*/g) ?? [];
    expect(loaded.filter((line) => !line.endsWith('@opentelemetry/api'))).toEqual([]);
  });
});

describe('a server with a collector', () => {
  it('sends traces and metrics, and no secret', { timeout: LIMIT_MS }, async () => {
    messages.length = 0;
    const server = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=sesame',
      OTEL_SERVICE_NAME: 'deck-of-tests',
    });
    const signedIn = await fetch(`${server.url}/admin-api/user/login`, SIGN_IN);
    const { token } = ((await signedIn.json()) as { data: { token: string } }).data;
    const headers = { 'edge-token': token };
    await fetch(`${server.url}/admin-api/log_server/errlog/8765432109876?detail=1`, { headers });
    await fetch(`${server.url}/admin-api/log_server/errlog?q=whispered`, { headers });
    await fetch(`${server.url}/nowhere/whispered`, { headers });
    await server.stop();

    const login = spans().find(({ name }) => name === 'POST /admin-api/user/login');
    expect(login).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' });
    const below = (parent: Span | undefined) => spans().filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
    const children = below(login).map(({ name }) => name);
    expect(children).toEqual(expect.arrayContaining(['password hash', 'write', 'select user']));
    const writes = below(login).filter(({ name }) => name === 'write');
    expect(writes.flatMap(below).map(({ name }) => name)).toContain('insert session');
    const names = spans().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['GET /admin-api/log_server/errlog/{id}', 'GET /admin-api/log_server/errlog', 'GET']),
    );
    const refused = spans().find(({ name }) => name.endsWith('{id}'));
    expect(refused?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 400 } });

    const metrics = messages.filter(({ path }) => path === '/v1/metrics').at(-1);
    expect(metrics?.type).toBe('application/x-protobuf');
    for (const name of ['quarterdeck_http_request_duration_seconds', 'quarterdeck_sign_ins']) {
      expect(metrics?.body.includes(name)).toBe(true);
    }
    expect(messages.every(({ secret }) => secret === 'sesame')).toBe(true);
    const sent = messages.map(({ body }) => body.toString()).join('\n');
    expect(sent.includes('deck-of-tests')).toBe(true);
    const secrets = [PASSWORD, token, 'whispered', '8765432109876', 'sesame'];
    expect(secrets.filter((text) => sent.includes(text))).toEqual([]);
  });

  it.runIf(IS_THOROUGH)('reports a collector that is away, without its address', { timeout: LIMIT_MS }, async () => {
    const server = await start({
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://ada:hunter2@127.0.0.1:9/v1/metrics',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    });
    const isReported = () => server.output().includes('traces or metrics could not be sent');
    await expect.poll(isReported).toBe(true);
    await server.stop();
    expect(server.output()).not.toContain('hunter2');
  });
});
