import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyslogStream } from './syslog-stream.ts';

function start() {
  const delivered: [text: string, times: number][] = [];
  const stream = new SyslogStream((bytes, _lost, times) => delivered.push([Buffer.from(bytes).toString(), times]));
  const take = (maxCost = Number.POSITIVE_INFINITY) => stream.take(maxCost, () => true);
  return { stream, delivered, take };
}

/** The messages, each as often as it arrived. */
const spread = (delivered: readonly [string, number][]) =>
  delivered.flatMap(([text, times]) => Array.from({ length: times }, () => text));

describe('SyslogStream', () => {
  it('delivers equal messages in a row once more, with their number', () => {
    const { stream, delivered, take } = start();
    stream.add(Buffer.from('a\na\na\nb\na\na\nc'));
    take();
    stream.end();
    expect(delivered).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['a', 1],
      ['a', 1],
      ['c', 1],
    ]);
  });

  it('delivers a limited number of messages at once', () => {
    const { stream, delivered, take } = start();
    stream.add(
      Buffer.from(Array.from({ length: 30_000 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}\n`).join('')),
    );
    for (let before = 0; stream.isWaiting; before = delivered.length) {
      expect(take(16 * 1024)).toBeLessThan(18 * 1024);
      expect(delivered.length - before).toBeLessThanOrEqual(65);
    }
    expect(delivered).toHaveLength(30_000);
  });

  it('stops on request and continues after the last message', () => {
    const { stream, delivered } = start();
    stream.add(Buffer.from('a\nb\nc\n'));
    stream.take(1e9, () => delivered.length < 2);
    expect(delivered.map(([text]) => text)).toEqual(['a', 'b']);
    stream.add(Buffer.from('d'));
    stream.end();
    expect(delivered.map(([text]) => text)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('delivers every message in order, for any chunks and slices', () => {
    const message = fc.constantFrom('a', 'b', 'cc', 'x'.repeat(300));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 40 }),
        fc.array(fc.nat(400), { maxLength: 10 }),
        fc.integer({ min: 1, max: 2_000 }),
        (messages, cuts, maxCost) => {
          const { stream, delivered, take } = start();
          const bytes = Buffer.from(messages.map((text) => `${text}\n`).join(''));
          let at = 0;
          for (const cut of [...cuts, bytes.length]) {
            stream.add(bytes.subarray(at, at + cut));
            at += cut;
            take(maxCost);
          }
          stream.end();
          expect(spread(delivered)).toEqual(messages);
        },
      ),
    );
  });
});
