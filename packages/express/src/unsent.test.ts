import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { admitUnsent, holdUnsent, TAKEN_AT_ONCE, UNSENT_MAX, unsentBytes } from './unsent.ts';

/** The parts of an answer that count. */
class Answer extends EventEmitter {
  readonly destroyed = false;
  readonly socket: object | null;
  readonly writableLength: number;

  constructor(socket: object | null = {}, writableLength = 0) {
    super();
    this.socket = socket;
    this.writableLength = writableLength;
  }
}

const made: Answer[] = [];
function answer(...parts: ConstructorParameters<typeof Answer>) {
  const one = new Answer(...parts);
  made.push(one);
  return one as unknown as ServerResponse & Answer;
}
afterEach(() => {
  for (const one of made.splice(0)) one.emit('close');
  expect(unsentBytes()).toBe(0);
});

const OVERLOADED = expect.objectContaining({ code: 'overloaded' });

it('refuses what would hold too much together, until an answer is sent', () => {
  const first = answer();
  admitUnsent(first, UNSENT_MAX - 100_000);
  admitUnsent(answer(), 100_000);
  expect(() => admitUnsent(answer(), TAKEN_AT_ONCE + 1)).toThrow(OVERLOADED);
  first.emit('close');
  admitUnsent(answer(), TAKEN_AT_ONCE + 1);
  expect(unsentBytes()).toBe(100_000 + TAKEN_AT_ONCE + 1);
});

it('admits small answers always, unless others wait before them on their connection', () => {
  admitUnsent(answer(), UNSENT_MAX);
  admitUnsent(answer(), TAKEN_AT_ONCE);
  expect(() => admitUnsent(answer(null), 1)).toThrow(OVERLOADED);
  expect(() => admitUnsent(answer({}, 1), 1)).toThrow(OVERLOADED);
});

it('admits an answer larger than the limit while no other waits', () => {
  admitUnsent(answer(), 2 * UNSENT_MAX);
  expect(() => admitUnsent(answer(), TAKEN_AT_ONCE + 1)).toThrow(OVERLOADED);
});

it('counts what an answer holds at the moment', () => {
  const stream = answer();
  for (const bytes of [500_000, 0, 70]) {
    holdUnsent(stream, bytes);
    expect(unsentBytes()).toBe(bytes);
  }
});
