// Sends the inputs of public reports to the sockets of the syslog receiver, and to the reader of lines over HTTP.

import { normalForm } from '@quarterdeck/core/fingerprint';
import { describe, expect, it } from 'vitest';
import { expectLines, REPORTS, type ReadLine, titleOf } from '../../../../test/reports.ts';
import { readIntakeNdjson } from '../../test/read-lines.ts';
import { sendUdp, until, useReceivers } from '../../test/syslog-receivers.ts';

const { receive, dial } = useReceivers();
/** Just after the times in the inputs, in any zone. */
const NOW = Date.UTC(2026, 10, 27, 12) / 1000;
const SENTINEL = '<11>Nov 27 11:59:00 last sentinel: sentinel';

/** Sends messages, and returns what is stored of them. */
async function send(transport: string, messages: readonly string[]): Promise<ReadLine[]> {
  if (transport === 'syslog-tcp') return sendTogether(transport, messages);
  // Lines that wait for a continuation come later than others, so each message has a receiver of its own.
  const lines: ReadLine[] = [];
  for (const message of messages) lines.push(...(await sendTogether(transport, [message])));
  return lines;
}

async function sendTogether(transport: string, messages: readonly string[]): Promise<ReadLine[]> {
  const { receiver, lines } = await receive({ now: () => NOW });
  const all = [...messages, SENTINEL];
  if (transport === 'syslog-tcp') (await dial(receiver.port)).end(`${all.join('\n')}\n`);
  else await sendUdp(receiver.port, ...all);
  await until(() => expect(lines.map(({ log }) => log)).toContain('sentinel'));
  await receiver.close();
  return lines
    .filter(({ log }) => log !== 'sentinel')
    .map(({ log, level, logTime, sender, service = '', fields = {} }) => ({
      ...{ log, level, service, fields, time: logTime, host: sender },
    }));
}

describe('a message of the report', () => {
  for (const report of REPORTS.filter(({ transport }) => transport.startsWith('syslog'))) {
    it(titleOf(report), async () =>
      expectLines(await send(report.transport, report.input as readonly string[]), report, NOW),
    );
  }

  for (const report of REPORTS.filter(({ transport }) => transport.includes('http ndjson'))) {
    it(`over HTTP, ${titleOf(report)}`, () => {
      const { lines } = readIntakeNdjson(String(report.input), NOW);
      const read = lines.map(({ log, level, logTime, host = '', service = '', fields = {} }) => ({
        ...{ log, level, host, service, fields, time: logTime },
      }));
      expectLines(read, report, NOW);
    });
  }

  for (const report of REPORTS.filter(({ transport }) => transport.includes('dry_run'))) {
    it(titleOf(report), () => {
      for (const [first = '', second = ''] of report.input as readonly (readonly string[])[]) {
        expect(normalForm(second)).toBe(normalForm(first));
      }
    });
  }
});
