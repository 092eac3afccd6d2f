import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';

const { dataDir, run } = useDataFolder();

it('prints each setting with its origin, and no secret', async () => {
  const file = join(dataDir, 'quarterdeck.toml');
  writeFileSync(file, 'port = 8123\nadmin_password = "a very secret password"', { mode: 0o600 });
  const settings = { QUARTERDECK_CONFIG: file, QUARTERDECK_HOST: '::1', QUARTERDECK_HOTS: '' };
  const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=very secret';
  const more = { QUARTERDECK_PROT: '1', OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME: '' };
  const { code, out, err } = await run(['config', 'check'], { ...settings, ...more });
  expect(code).toBe(0);
  expect(out).toMatch(/^QUARTERDECK_PORT +file +8123$/m);
  expect(out).toMatch(/^QUARTERDECK_HOST +environment +::1$/m);
  expect(out).toMatch(/^QUARTERDECK_SERVE +default +admin,console$/m);
  expect(out).toMatch(/^QUARTERDECK_ADMIN_PASSWORD +file +\(secret, set\)$/m);
  expect(out).toMatch(/^QUARTERDECK_AUDIT_OTLP_HEADERS +default +\(not set\)$/m);
  expect(out).toMatch(/^QUARTERDECK_DATABASE_URL +default +\(not set\)$/m);
  expect(out).toMatch(/^OTEL_EXPORTER_OTLP_HEADERS +environment +\(secret, set\)$/m);
  expect(out).not.toMatch(/very secret|OTEL_SERVICE_NAME/);
  expect(err.split('\n')).toEqual([
    `Settings file: ${file}`,
    'Warning: QUARTERDECK_PROT is not a setting and has no effect',
    '',
  ]);
  const json = JSON.parse((await run(['config', 'check', '--json'], settings)).out);
  expect(json).toMatchObject({ file, warnings: [] });
  expect(json.settings).toContainEqual({ name: 'QUARTERDECK_PORT', value: '8123', from: 'file' });
  expect(json.settings).toContainEqual({ name: 'QUARTERDECK_DATABASE_URL', value: null, from: 'default' });
});

it('refuses a wrong setting with one line', async () => {
  const { code, out, err } = await run(['config', 'check'], { QUARTERDECK_SYSLOG_TLS_PORT: '6514' });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^quarterdeckd: QUARTERDECK_SYSLOG_TLS_PORT needs [^\n]+\n$/);
});
