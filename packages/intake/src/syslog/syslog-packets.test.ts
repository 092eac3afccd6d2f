// The packets were recorded from rsyslog 8.2302, syslog-ng 3.38 and logger 2.38. Each program was given the same lines.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { TRACES } from '../../../../test/traces.ts';
import { MultiLine } from './multi-line.ts';
import { parseSyslog, type SyslogLine } from './syslog-line.ts';

/** Time of the recording, Unix seconds. */
const RECORDED = Date.UTC(2026, 10, 22, 20, 30) / 1000;

interface Packet {
  readonly from: string;
  readonly packet: string;
}

const packets = readFileSync(new URL('syslog-packets.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((text): Packet => JSON.parse(text));

function receive(from: string): SyslogLine[] {
  const lines: SyslogLine[] = [];
  const joiner = new MultiLine({ onLine: (line) => lines.push(line) });
  for (const { packet } of packets.filter((each) => each.from === from)) {
    const line = parseSyslog(Buffer.from(packet, 'latin1'), RECORDED);
    if (line !== null) joiner.add(line, '192.0.2.1', line.hostname);
  }
  joiner.flush();
  return lines;
}

const WRITTEN = ['Node.js, with properties', 'Python', 'Rails', 'PostgreSQL'];
/** Lines as they were given to the programs. */
const GIVEN = [
  'shop started',
  ...WRITTEN.flatMap((name) => [TRACES[name]?.(17) ?? '', `request ${name.length} done`]),
  'Error: no stock\n    at a (/a.js:1:1)',
  'shop stopped',
];
/** Text without its indents: rsyslog adds a space to those of RFC 5424, and all drop blank lines. */
const flush = (text: string) => text.replaceAll(/^ +/gm, '');

describe.each(nonEmpty([...new Set(packets.map(({ from }) => from))]))('packets of %s', (from) => {
  it('become the entries that were written', () => {
    const lines = receive(from);
    expect(lines.map(({ log }) => flush(log))).toEqual(GIVEN.map(flush));
    for (const line of lines) expect(line).toMatchObject({ level: 4, hostname: 'web1', service: 'shop' });
  });

  it('have the fields of a JSON message', () => {
    expect(receive(from).at(-2)?.fields).toMatchObject({ sku: '7' });
  });
});

describe('packets of logger in RFC 5424', () => {
  it('have structured data and MSGID as fields', () => {
    const fields = { msgid: 'ORDER', tzKnown: '1', isSynced: '0', sum: '5' };
    for (const line of receive('logger-5424')) expect(line.fields).toMatchObject(fields);
  });
});
