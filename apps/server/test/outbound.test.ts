// The list of what the server connects to and starts is complete: every file that could do so is in it.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { OUTBOUND, PROGRAMS, TO_ITSELF } from '../src/net/outbound.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Values that open connections or start programs, by the module that has them; types are left out. */
const WAYS_OUT = [
  /import (?!type)[^;]*\b(?:connect|createConnection)\b[^;]*from 'node:(?:net|tls|http2)'/,
  /import (?!type)[^;]*\b(?:request|get)\b(?! *:)[^;]*from 'node:https?'/,
  /import (?!type)[^;]*\bcreateSocket\b[^;]*from 'node:dgram'/,
  /import (?!type)[^;]*from 'node:(?:child_process|dns|dns\/promises)'/,
  /import (?!type)[^;]*from '(?:pg|undici|nodemailer|@opentelemetry\/otlp-exporter-base[^']*)'/,
  /import\('(?:pg|undici|nodemailer|@opentelemetry\/otlp-exporter-base[^']*|node:child_process)'\)/,
  /(?<!\.)\bfetch\(/,
  /\brequest\b.*getBuiltinModule\('node:https?'\)/,
];

/** Listeners, which answer on the port that they opened, and a lookup of the name of such a port. */
const LISTENERS = ['packages/intake/src/syslog/udp-reader.worker.ts', 'packages/intake/src/syslog/bind-syslog.ts'];

const sources = globSync('{apps/server,packages/{core,express,intake,mcp,store}}/src/**/*.ts', { cwd: ROOT }).filter(
  (file) => !/\.test\.ts$|\/(?:generated|testing)\//.test(file),
);

it('has every file that opens connections or starts programs', () => {
  const found = sources.filter((file) => {
    const text = readFileSync(ROOT + file, 'utf8');
    return WAYS_OUT.some((way) => way.test(text));
  });
  expect(found.length).toBeGreaterThan(10);
  const listed = [...OUTBOUND, ...PROGRAMS].flatMap(({ files }) => files);
  expect(found.toSorted()).toEqual([...listed, ...TO_ITSELF, ...LISTENERS].toSorted());
});
