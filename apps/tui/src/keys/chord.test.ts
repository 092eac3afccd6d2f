import { expect, it } from 'vitest';
import type { Bound } from './bound-commands.ts';
import { createChord } from './chord.ts';

const command = (name: string, key: string): Bound => ({
  place: 'errlog',
  command: name,
  binding: { keys: [key], help: name },
});
const BOUND = [command('top', 'g g'), command('copy', 'y y'), command('down', 'j')];

/** Presses keys and returns the commands they complete. */
function press(...strokes: string[]): (string | null)[] {
  const chord = createChord();
  return strokes.map((stroke) => {
    const result = chord.press(stroke, BOUND);
    return result === null || result === 'pending' ? result : result.command;
  });
}

it.each([
  ['completes a chord', ['g', 'g'], ['pending', 'top']],
  ['runs a single key at once', ['j'], ['down']],
  ['drops a chord that another key breaks off', ['g', 'j'], ['pending', 'down']],
  ['starts another chord', ['g', 'y', 'y'], ['pending', 'pending', 'copy']],
  ['ignores an unbound key', ['x', 'g', 'x'], [null, 'pending', null]],
])('%s', (_title, strokes, results) => {
  expect(press(...strokes)).toEqual(results);
});

it('forgets its keys on reset', () => {
  const chord = createChord();
  chord.press('g', BOUND);
  expect(chord.isPending()).toBe(true);
  chord.reset();
  expect(chord.isPending()).toBe(false);
});
