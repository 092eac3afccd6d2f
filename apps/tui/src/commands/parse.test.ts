import { describe, expect, it } from 'vitest';
import { complete, parseCommand } from './parse.ts';

describe('the command line', () => {
  it.each([
    ['logs level=4 app=12 /timed out', { word: 'logs', args: { level: '4', app: '12' }, text: 'timed out', rest: [] }],
    ['l', { word: 'logs', args: {}, text: undefined, rest: [] }],
    ['theme dark', { word: 'theme', args: {}, text: undefined, rest: ['dark'] }],
    ['agents /', { word: 'agents', args: {}, text: '', rest: [] }],
    ['q', { word: 'quit', args: {}, text: undefined, rest: [] }],
    ['logs /a=b /c', { word: 'logs', args: {}, text: 'a=b /c', rest: [] }],
  ])('parses %s', (line, typed) => {
    expect(parseCommand(line)).toEqual(typed);
  });

  it.each(['', '   '])('returns null for an empty line: "%s"', (line) => {
    expect(parseCommand(line)).toBeNull();
  });

  it('completes the common prefix', () => {
    const words = ['messages', 'mute', 'more'];
    expect(complete('me', words)).toEqual({ text: 'messages', words: ['messages'] });
    expect(complete('m', words).text).toBe('m');
    expect(complete('x', words)).toEqual({ text: 'x', words: [] });
  });
});
