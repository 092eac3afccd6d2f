// Programs that many people run send their logs to a real server.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import type { Line } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../test/free-port.ts';
import { findProgram } from '../../../test/programs.ts';
import { startAlertmanager } from './alertmanager-process.ts';
import { exampleBelow } from './guide.ts';
import { startProxyProgram } from './proxy-process.ts';
import { startApi, type TestApi } from './start-api.ts';

const syslogNg = findProgram('syslog-ng', 'rsyslogd');
const haproxy = findProgram('haproxy');
const apache = findProgram('apache2');
const logger = findProgram('logger');
const caddy = findProgram('caddy');
const alertmanager = findProgram('prometheus-alertmanager');
/** Debian's, which has Debian's packages. */
const PYTHON = '/usr/bin/python3';
const hasPythonSdk = existsSync(PYTHON) && existsSync('/usr/lib/python3/dist-packages/sentry_sdk');

/** Waits for a line whose text contains another one. */
async function lineWith(api: TestApi, text: string): Promise<Line | undefined> {
  const find = async () => (await api.admin.line.list({})).data.find(({ log }) => log.includes(text));
  await expect.poll(find).toBeDefined();
  return find();
}

describe.skipIf(syslogNg === undefined)('syslog-ng', () => {
  it('forwards warnings with their host, program and structured data as the guide sets it up', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    const port = await freePort();
    const forwardFrom = (dir: string) => {
      const replacements = {
        'port(5140)': `port(${api.server.syslogPort})`,
        'reliable(yes)': `reliable(yes) dir("${dir}")`,
      };
      return exampleBelow('## Over TCP', 'syslog-ng', replacements, 'how-to/syslog-ng.md');
    };
    const source = `source s_src { syslog(ip("127.0.0.1") port(${port}) transport("tcp")); };`;
    await using _daemon = await startProxyProgram({
      program: syslogNg ?? '',
      port,
      files: (dir) => ({
        'syslog-ng.conf': `@version: current\noptions { stats-freq(0); keep-hostname(yes); };\n${source}\n${forwardFrom(dir)}`,
      }),
      args: (dir) => [
        ...['--foreground', '--no-caps', '--cfgfile', `${dir}/syslog-ng.conf`, '--persist-file', `${dir}/persist`],
        ...['--pidfile', `${dir}/pid`, '--control', `${dir}/control`],
      ],
    });
    const messages = [
      '<14>1 2026-11-23T04:00:00.5+01:00 web-7 shop 17 - - information',
      '<12>1 2026-11-23T04:00:01.5+01:00 web-7 shop 17 - [app@1 customer="4711"] disk is almost full\n  on /srv',
    ];
    const sender = connect(port, '127.0.0.1');
    sender.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''));
    await once(sender, 'close');
    const line = await lineWith(api, 'disk is almost full');
    expect(line).toMatchObject({ host: 'web-7', service: 'shop', level: 5, fields: { customer: '4711' } });
    expect(line?.log).toContain('on /srv');
    const { data } = await api.admin.line.list({});
    expect(data.filter(({ log }) => log.includes('information'))).toEqual([]);
  });
});

describe.skipIf(haproxy === undefined)('haproxy', () => {
  it('sends its errors and failed requests by syslog', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    const port = await freePort();
    const closed = await freePort();
    const config = `global
  log 127.0.0.1:${api.server.syslogPort} format rfc5424 local0 info
defaults
  mode http
  log global
  option httplog
  timeout connect 1s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:${port}
  default_backend shop
backend shop
  server one 127.0.0.1:${closed}
`;
    await using _daemon = await startProxyProgram({
      program: haproxy ?? '',
      port,
      files: () => ({ 'haproxy.cfg': config }),
      args: (dir) => ['-db', '-f', `${dir}/haproxy.cfg`],
    });
    expect((await fetch(`http://127.0.0.1:${port}/cart?card=1`)).status).toBe(503);
    expect(await lineWith(api, 'shop/one')).toMatchObject({ service: 'haproxy' });
  });
});

describe.skipIf(apache === undefined || logger === undefined)('Apache', () => {
  it('sends its errors through logger, with the level that it is given', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    const [port, closed] = [await freePort(), await freePort()];
    const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http']
      .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
      .join('\n');
    const pipe = `|${logger} --server 127.0.0.1 --port ${api.server.syslogPort} --udp --tag apache2 --priority local1.err --rfc5424`;
    await using _daemon = await startProxyProgram({
      program: apache ?? '',
      port,
      files: (dir) => ({
        'apache2.conf': `ServerRoot ${dir}\nDefaultRuntimeDir ${dir}\nPidFile ${dir}/pid\nListen 127.0.0.1:${port}
ServerName shop.example\n${modules}\nErrorLog "${pipe}"\nProxyPass / http://127.0.0.1:${closed}/\n`,
      }),
      args: (dir) => ['-X', '-f', `${dir}/apache2.conf`],
    });
    expect((await fetch(`http://127.0.0.1:${port}/cart`)).status).toBe(503);
    const line = await lineWith(api, 'AH00957');
    expect(line).toMatchObject({ service: 'apache2', level: 4 });
  });
});

describe.skipIf(caddy === undefined)('Caddy', () => {
  it('sends its JSON over TCP, with its fields', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    const [port, closed] = [await freePort(), await freePort()];
    await using _daemon = await startProxyProgram({
      program: '/usr/bin/env',
      port,
      files: (dir) => {
        mkdirSync(`${dir}/home`);
        return {
          Caddyfile: `{
  admin off
  log {
    output net tcp/127.0.0.1:${api.server.syslogPort}
    format json
  }
}
http://127.0.0.1:${port} {
  log
  reverse_proxy 127.0.0.1:${closed}
}
`,
        };
      },
      args: (dir) => [
        ...[`HOME=${dir}/home`, `XDG_DATA_HOME=${dir}/home`, caddy ?? ''],
        ...['run', '--adapter', 'caddyfile', '--config', `${dir}/Caddyfile`],
      ],
    });
    expect((await fetch(`http://127.0.0.1:${port}/cart`)).status).toBe(502);
    const line = await lineWith(api, 'connection refused');
    expect(line).toMatchObject({ level: 4, fields: { logger: 'http.log.error', status: '502' } });
  });
});

describe.skipIf(alertmanager === undefined)('Alertmanager', () => {
  it('sends alerts that fire and end as the guide sets it up', async () => {
    await using api = await startApi();
    const { token } = await api.admin.apiToken.create({ body: { name: 'alerts', scopes: ['errlog:write'] } });
    const replacements = (dir: string) => ({
      'http://127.0.0.1:7080': api.url,
      '/etc/prometheus/quarterdeck-token': `${dir}/token`,
      'receiver: quarterdeck': 'receiver: quarterdeck\n  group_wait: 0s\n  group_interval: 1s',
    });
    await using peer = await startAlertmanager(alertmanager ?? '', (dir) => ({
      'alertmanager.yml': exampleBelow(
        '## Prometheus Alertmanager',
        'yaml',
        replacements(dir),
        'how-to/other-senders.md',
      ),
      token,
    }));
    const labels = { alertname: 'DiskFull', instance: 'web1:9100', job: 'node', severity: 'critical' };
    const tell = (times: object) =>
      fetch(`${peer.url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify([{ labels, annotations: { summary: 'Disk of web1 is full' }, ...times }]),
      });
    const startsAt = new Date(Date.now() - 60_000).toISOString();
    await tell({ startsAt });
    expect(await lineWith(api, 'DiskFull')).toMatchObject({
      ...{ level: 3, log: 'DiskFull: Disk of web1 is full', host: 'web1', service: 'node' },
      fields: { ...labels, receiver: 'quarterdeck', starts_at: startsAt },
    });
    await tell({ startsAt, endsAt: new Date().toISOString() });
    expect(await lineWith(api, 'Resolved: DiskFull')).toMatchObject({ level: 7, host: 'web1' });
  });
});

describe.skipIf(!hasPythonSdk)('the SDK of Sentry for Python', () => {
  it('sends an error with its cause, tags and release', async () => {
    await using api = await startApi();
    const { token } = await api.admin.apiToken.create({ body: { name: 'python', kind: 'sentry' } });
    const dsn = api.url.replace('//', `//${token}@`);
    const program = `
import os, sentry_sdk
sentry_sdk.init(dsn=os.environ["DSN"] + "/17", release="shop@1.4.2", environment="production", server_name="web1")
sentry_sdk.set_tag("service", "shop")
try:
    try:
        {}["card"]
    except KeyError as error:
        raise ValueError("checkout failed") from error
except ValueError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.flush(10)
`;
    await promisify(execFile)(PYTHON, ['-c', program], { env: { DSN: dsn } });
    const line = await lineWith(api, 'checkout failed');
    expect(line).toMatchObject({
      ...{ level: 4, service: 'shop', host: 'web1' },
      fields: { release: 'shop@1.4.2', environment: 'production' },
    });
    expect(line?.log).toContain("KeyError: 'card'");
    expect(line?.log).toContain('Traceback (most recent call last)');
  });
});
