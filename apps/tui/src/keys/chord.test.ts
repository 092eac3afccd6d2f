import { expect, it } from 'vitest';
import type { Bound } from './bound-commands.ts';
import { createChord } from './chord.ts';

const command = (name: string, key: string): Bound => ({
  place: name === 'quit' ? 'root' : 'errlog',
  command: name,
  binding: { keys: [key], help: name },
});
const REACH = {
  bound: [command('top', 'g g'), command('copy', 'y y'), command('down', 'j'), command('quit', 'ctrl+c')],
  unavailable: [
    { ...command('users', 'g u'), reason: 'Needs the role master.' },
    { ...command('find', '@ f'), reason: 'Select a row first.' },
  ],
};

/** Presses keys and returns the results. */
function press(...strokes: string[]): string[] {
  const chord = createChord();
  return strokes.map((stroke) => {
    const result = chord.press(stroke, REACH);
    if (result.kind === 'command') return result.command.command;
    if (result.kind === 'unavailable') return result.reason;
    return result.kind === 'noSuchKey' ? `no ${result.keys}` : result.kind;
  });
}

it.each([
  ['completes a chord', ['g', 'g'], ['pending', 'top']],
  ['runs a single key at once', ['j'], ['down']],
  ['runs nothing for a key that does not continue the chord', ['g', 'j', 'j'], ['pending', 'no g j', 'down']],
  ['leaves the chord with Escape', ['g', 'escape', 'g', 'g'], ['pending', 'cancelled', 'pending', 'top']],
  ['quits in the middle of a chord', ['g', 'ctrl+c'], ['pending', 'quit']],
  ['gives the reason of a command that cannot run', ['g', 'u'], ['pending', 'Needs the role master.']],
  ['begins a chord that only such commands have', ['@', 'f'], ['pending', 'Select a row first.']],
  ['ignores an unbound key', ['x', 'g', 'g'], ['unbound', 'pending', 'top']],
])('%s', (_title, strokes, results) => {
  expect(press(...strokes)).toEqual(results);
});

it('forgets its keys on reset', () => {
  const chord = createChord();
  chord.press('g', REACH);
  expect(chord.prefix()).toBe('g');
  chord.reset();
  expect(chord.prefix()).toBeNull();
});
