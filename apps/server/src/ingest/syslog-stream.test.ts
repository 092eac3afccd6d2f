import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyslogStream } from './syslog-stream.ts';

function start() {
  const told: [text: string, times: number][] = [];
  const stream = new SyslogStream((bytes, _lost, times) => told.push([Buffer.from(bytes).toString(), times]));
  const take = (maxCost = Number.POSITIVE_INFINITY) => stream.take(maxCost, () => true);
  return { stream, told, take };
}

/** The messages, each as often as it came. */
const spread = (told: readonly [string, number][]) =>
  told.flatMap(([text, times]) => Array.from({ length: times }, () => text));

describe('SyslogStream', () => {
  it('tells of equal messages in a row once more, with their number', () => {
    const { stream, told, take } = start();
    stream.add(Buffer.from('a\na\na\nb\na\na\nc'));
    take();
    stream.end();
    expect(told).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['a', 1],
      ['a', 1],
      ['c', 1],
    ]);
  });

  it('takes a bounded number of messages at once, whatever has arrived', () => {
    const { stream, told, take } = start();
    stream.add(
      Buffer.from(Array.from({ length: 30_000 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}\n`).join('')),
    );
    for (let before = 0; stream.isWaiting; before = told.length) {
      expect(take(16 * 1024)).toBeLessThan(18 * 1024);
      expect(told.length - before).toBeLessThanOrEqual(65);
    }
    expect(told).toHaveLength(30_000);
  });

  it('stops when it may not go on, and goes on behind it', () => {
    const { stream, told } = start();
    stream.add(Buffer.from('a\nb\nc\n'));
    stream.take(1e9, () => told.length < 2);
    expect(told.map(([text]) => text)).toEqual(['a', 'b']);
    stream.add(Buffer.from('d'));
    stream.end();
    expect(told.map(([text]) => text)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has every message in its order, however it is cut and taken', () => {
    const message = fc.constantFrom('a', 'b', 'cc', 'x'.repeat(300));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 40 }),
        fc.array(fc.nat(400), { maxLength: 10 }),
        fc.integer({ min: 1, max: 2_000 }),
        (messages, cuts, maxCost) => {
          const { stream, told, take } = start();
          const bytes = Buffer.from(messages.map((text) => `${text}\n`).join(''));
          let at = 0;
          for (const cut of [...cuts, bytes.length]) {
            stream.add(bytes.subarray(at, at + cut));
            at += cut;
            take(maxCost);
          }
          stream.end();
          expect(spread(told)).toEqual(messages);
        },
      ),
    );
  });
});
