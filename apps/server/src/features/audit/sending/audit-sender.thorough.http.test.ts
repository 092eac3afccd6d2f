// The audit log at receivers that are programs of the machine, or have certificates from one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeAuthority } from '../../../../../../test/certificates.ts';
import { freePort } from '../../../../../../test/free-port.ts';
import { findProgram } from '../../../../../../test/programs.ts';
import { idsAfter, recordMany } from '../../../../test/audit-entries.ts';
import { PATIENCE } from '../../../../test/patience.ts';
import { startProxyProgram } from '../../../../test/proxy-process.ts';
import { startApi } from '../../../../test/start-api.ts';
import { idsIn, listenSyslog } from '../../../../test/syslog-receiver.ts';

const rsyslogd = findProgram('rsyslogd');
const openssl = findProgram('openssl');

describe('sending the audit log', () => {
  it.skipIf(rsyslogd === undefined).each(['tcp', 'udp'])(
    'reaches rsyslog over %s, whole and in order',
    async (transport) => {
      const port = await freePort();
      let folder = '';
      const ready = await freePort();
      await using _daemon = await startProxyProgram({
        program: rsyslogd ?? '',
        port: ready,
        files: (dir) => {
          folder = dir;
          const load = ['imtcp', 'imudp', 'imptcp'].map((module) => `module(load="${module}")`).join('\n');
          const inputs = `input(type="im${transport}" port="${port}" address="127.0.0.1")\ninput(type="imptcp" port="${ready}" address="127.0.0.1")`;
          const form = '%syslogfacility-text% %app-name% %msgid% %structured-data% %msg%\\n';
          const action = `action(type="omfile" file="${dir}/out" template="form")`;
          const config = `global(workDirectory="${dir}" maxMessageSize="64k")\n${load}\ntemplate(name="form" type="string" string="${form}")\n${action}\n${inputs}\n`;
          return { out: '', 'rsyslog.conf': config };
        },
        args: (dir) => ['-n', '-f', `${dir}/rsyslog.conf`, '-i', `${dir}/pid`],
      });
      await using api = await startApi({ AUDIT_SYSLOG: `${transport}://127.0.0.1:${port}` });
      const before = (await idsAfter(api, 0)).at(-1) ?? 0;
      await recordMany(api, 120);
      await api.server.jobs.runAll();
      const ids = await idsAfter(api, before);
      const lines = await vi.waitUntil(
        () => {
          const text = readFileSync(join(folder, 'out'), 'utf8')
            .split('\n')
            .filter((line) => line.includes(' quarterdeck '));
          return text.length >= ids.length && text;
        },
        { ...PATIENCE, interval: 50 },
      );
      expect(lines.slice(-ids.length).map((line) => Number(/sequenceId="(\d+)"/.exec(line)?.[1]))).toEqual(ids);
      const line = lines.find((one) => one.includes('é 7"') || one.includes('\\u00e9 7"')) ?? '';
      expect(line).toMatch(/^\S+ quarterdeck test\.done \[meta sequenceId="\d+"\] ?\{"id":/);
      expect(JSON.parse(line.slice(line.indexOf('{"id"')))).toMatchObject({
        action: 'test.done',
        detail: { text: 'é 7' },
      });
    },
  );

  it.skipIf(openssl === undefined)('reaches a receiver over TLS, whose certificate it checks', async () => {
    using authority = makeAuthority(openssl ?? '');
    const receiver = await listenSyslog(createTlsServer(authority.issue('receiver')));
    const known = getCACertificates('default');
    await using api = await startApi({ AUDIT_SYSLOG: `tls://127.0.0.1:${receiver.port}` });
    await recordMany(api, 3);
    const last = (await idsAfter(api, 0)).at(-1) ?? 0;
    await api.server.jobs.runAll();
    expect(receiver.text()).toBe('');
    expect(api.logged.filter((line) => line.includes('audit entries cannot be sent'))).toHaveLength(1);
    setDefaultCACertificates([...known, authority.cert]);
    onTestFinished(() => setDefaultCACertificates(known));
    api.advance(600_000);
    await api.server.jobs.runAll();
    await expect.poll(() => idsIn(receiver.text())).toContain(last);
    const ids = idsIn(receiver.text());
    expect(ids).toEqual(await idsAfter(api, (ids[0] ?? 0) - 1));
  });
});
