// The guide's example for rsyslog: a real rsyslogd forwards to a real server.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { freePort } from '../../../test/free-port.ts';
import { findProgram } from '../../../test/programs.ts';
import { exampleBelow } from './guide.ts';
import { startProxyProgram } from './proxy-process.ts';
import { startApi } from './start-api.ts';

const rsyslogd = findProgram('rsyslogd');

it.skipIf(rsyslogd === undefined)('receives the warnings that rsyslog forwards as the guide sets it up', async () => {
  await using api = await startApi({ SYSLOG_PORT: '0' });
  const port = await freePort();
  const forward = exampleBelow(
    '## Over TCP',
    'rsyslog',
    { 'port="5140"': `port="${api.server.syslogPort}"` },
    'how-to/rsyslog.md',
  );
  const input = `module(load="imptcp")\ninput(type="imptcp" port="${port}" address="127.0.0.1")\n`;
  await using _daemon = await startProxyProgram({
    program: rsyslogd ?? '',
    port,
    files: (dir) => ({ 'rsyslog.conf': `global(workDirectory="${dir}")\n${input}${forward}` }),
    args: (dir) => ['-n', '-f', `${dir}/rsyslog.conf`, '-i', `${dir}/pid`],
  });
  const messages = [
    '<14>1 2026-11-23T04:00:00.5+01:00 web-7 shop 17 - - information',
    '<12>1 2026-11-23T04:00:01.5+01:00 web-7 shop 17 - [app@1 customer="4711"] disk is almost full',
  ];
  const sender = connect(port, '127.0.0.1');
  sender.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''));
  await once(sender, 'close');

  const lines = await vi.waitUntil(
    async () => {
      const { data } = await api.admin.line.list({});
      return data.length > 0 && data;
    },
    { timeout: 50_000, interval: 50 },
  );
  expect(lines).toEqual([
    expect.objectContaining({ host: 'web-7', service: 'shop', level: 5, log: 'disk is almost full' }),
  ]);
  expect(lines[0]?.fields).toMatchObject({ customer: '4711' });
});
