import { expect, it } from 'vitest';
import { messagePieces } from './message.ts';

it('cuts a message into the parts that differ and the words between them', () => {
  const text = 'worker 17 lost 10.0.0.1:80, gone';
  const pieces = messagePieces(text);
  expect(pieces).toEqual([
    { text: 'worker ' },
    { text: '17', kind: 'number' },
    { text: ' lost ' },
    { text: '10.0.0.1:80', kind: 'address' },
    { text: ', gone' },
  ]);
  expect(messagePieces('')).toEqual([]);
});
