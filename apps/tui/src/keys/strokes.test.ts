import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { pressesOf } from './strokes.ts';

const NONE: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('what was pressed', () => {
  it.each([
    ['a letter', 'j', {}, [{ text: 'j' }]],
    ['a capital letter', 'G', { shift: true }, [{ text: 'G' }]],
    ['several letters at once', 'jjj', {}, [{ text: 'jjj' }]],
    [
      'a line typed at once',
      'admin\tsecret\r',
      {},
      [{ text: 'admin' }, { stroke: 'tab' }, { text: 'secret' }, { stroke: 'enter' }],
    ],
    [
      'line ends of three kinds',
      'a\r\nb\nc\r',
      {},
      [{ text: 'a' }, { stroke: 'enter' }, { text: 'b' }, { stroke: 'enter' }, { text: 'c' }, { stroke: 'enter' }],
    ],
    ['control keys inside', 'a\u0004\u0015', {}, [{ text: 'a' }, { stroke: 'ctrl+d' }, { stroke: 'ctrl+u' }]],
    ['Ctrl and a letter', 'd', { ctrl: true }, [{ stroke: 'ctrl+d' }]],
    ['Alt and a letter', 'b', { meta: true }, [{ stroke: 'alt+b' }]],
    ['Enter', '\r', { return: true }, [{ stroke: 'enter' }]],
    ['an arrow', '', { upArrow: true }, [{ stroke: 'up' }]],
    ['Shift-Tab', '', { tab: true, shift: true }, [{ stroke: 'shift+tab' }]],
    ['Escape twice', '', { escape: true, meta: true }, [{ stroke: 'escape' }]],
    ['a key Ink has no name for', '', {}, []],
    ['a key that is let go', 'j', { eventType: 'release' as const }, []],
    ['a glyph outside the basic plane', '👍', {}, [{ text: '👍' }]],
  ])('of %s', (_, input, key, expected) => {
    expect(pressesOf(input, { ...NONE, ...key })).toEqual(expected);
  });
});
