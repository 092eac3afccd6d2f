import { readFileSync } from 'node:fs';
import { normalForm } from '@quarterdeck/core/fingerprint';
import { expect, it } from 'vitest';
import { parseSyslog } from './syslog-line.ts';

it('finds few groups in what a real nginx has sent', () => {
  const packets = readFileSync(new URL('nginx-packets.ndjson', import.meta.url), 'utf8').trimEnd();
  const forms = packets.split('\n').map((packet) => {
    const line = parseSyslog(Buffer.from(String(JSON.parse(packet)), 'latin1'), 0);
    return normalForm(line?.log ?? '');
  });
  const missing = forms.filter((form) => form.includes('(2: No such file'));
  expect(missing.length).toBeGreaterThanOrEqual(6);
  expect([...new Set(missing)].sort()).toEqual(
    ['debug.test', 'example.test', 'ssl.test'].map(
      (server) => `open() "<str>" failed (2: No such file or directory), client: <ip>, server: ${server}`,
    ),
  );
  for (const form of forms) expect(normalForm(form)).toBe(form);
});
