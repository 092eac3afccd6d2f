import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { BODY_MAX, messageBody } from './queue-messages.ts';

const bodyOf = (data: unknown) => messageBody({ type: 'errlog.new', timestampMs: 1_700_000_000_000, data });

describe('messageBody', () => {
  it('has type, time and data', () => {
    expect(JSON.parse(bodyOf({ id: 1 }))).toEqual({
      type: 'errlog.new',
      timestamp: '2023-11-14T22:13:20.000Z',
      data: { id: 1 },
    });
  });

  it('keeps a message that just fits', () => {
    const room = BODY_MAX - Buffer.byteLength(bodyOf({ log: '' }));
    const log = 'x'.repeat(room);
    expect(JSON.parse(bodyOf({ log })).data.log).toBe(log);
  });

  it.each(
    nonEmpty([
      ['one long text', { id: 7, log: 'x'.repeat(100_000) }],
      ['text that takes six bytes a character as JSON', { id: 7, log: '\u0001'.repeat(20_000) }],
      ['a surrogate pair at the cut', { id: 7, log: `x${'\u{1F600}'.repeat(60_000)}` }],
      ['many texts', { id: 7, log: 'x', fields: Object.fromEntries([...'abcdefgh'].map((n) => [n, n.repeat(9000)])) }],
      ['a long list', { id: 7, log: 'x', hosts: Array(50_000).fill('host') }],
    ]),
  )('cuts and marks %s', (_, data) => {
    const body = bodyOf(data);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(body.isWellFormed()).toBe(true);
    expect(JSON.parse(body).data.id).toBe(7);
    if (data.log.length > 1) expect(JSON.parse(body).data.log).toMatch(/ \[cut\]$/);
  });

  it('drops data of too many fields, and says so', () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field ${i}`, i]));
    expect(JSON.parse(bodyOf(data)).data).toEqual({ cut: true });
  });
});
