// Sends the inputs of public reports through the followed file, the batches and the connection to the server.
import { nginxFields } from '@quarterdeck/core/lines';
import { describe, expect, it } from 'vitest';
import { expectLines, REPORTS, type ReadLine, type Report, titleOf } from '../../../../test/reports.ts';
import { startFakeConsole } from '../fake-console.ts';
import { batches, eventually, ship } from './running-shipper.ts';

/** Just after the times in the inputs, in any zone. */
const NOW = Date.UTC(2026, 10, 27, 12) / 1000;

interface Sent {
  readonly log: string;
  readonly level: number;
  readonly log_time: number;
  readonly service?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Ships a file with this content. The last line is a sentinel, which shows that all others have come. */
async function shipFile(content: string): Promise<ReadLine[]> {
  const server = await startFakeConsole();
  const agent = await ship(server, { now: () => NOW * 1000 });
  await agent.write(`${content}\n{"msg":"sentinel"}\n`);
  const sent = () => batches(server).flatMap(({ body }) => body) as Sent[];
  await eventually(() => sent().at(-1)?.log).toBe('sentinel');
  return sent()
    .slice(0, -1)
    .map(({ log, level, log_time: time, service = '', fields = {} }) => ({
      ...{ log, level, time, service },
      // The server reads those of nginx in the text.
      fields: { ...nginxFields(log, 0, 0), ...fields },
      host: fields['host'] ?? '',
    }));
}

const files = REPORTS.filter(({ transport }) => transport.startsWith('agent-file'));

describe('a file of the report', () => {
  for (const report of files) {
    it(titleOf(report), async () => expectLines(await shipFile(inputOf(report)), report, NOW));
  }

  // Report 14 names the times of its lines in prose.
  it('14 has the time of each line', async () => {
    const report = files.find(({ id }) => id === '14');
    const lines = report === undefined ? [] : await shipFile(inputOf(report));
    const local = (time: string) => new Date(`2026-11-26T${time}`).getTime() / 1000;
    expect(lines.map(({ time }) => time)).toEqual([
      local('20:30:00'),
      local('20:30:42'),
      Date.UTC(2026, 10, 26, 20, 30) / 1000,
      ...['20:30:00', '20:30:00', '20:30:00', '20:30:44'].map(local),
      Date.UTC(2026, 10, 26, 20, 38, 34) / 1000,
    ]);
  });
});

function inputOf({ input }: Report): string {
  return typeof input === 'string' ? input : input.join('\n');
}
