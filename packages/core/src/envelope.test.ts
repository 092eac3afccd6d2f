import { expect, it } from 'vitest';
import { success, successText } from './envelope.ts';

it.each([undefined, '', 'say "done"'])(
  'makes the text that the JSON of the envelope is, with the message %j',
  (msg) => {
    const data = [{ id: 1, note: '\u2028"\\' }, null];
    const nowMs = 1_700_000_000_999;
    expect(successText(JSON.stringify(data), nowMs, msg)).toBe(JSON.stringify(success(data, nowMs, msg)));
  },
);
