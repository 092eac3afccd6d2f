import { describe, expect, it } from 'vitest';
import { movesCursor, showsUtf8 } from './terminal-kind.ts';

describe('a terminal', () => {
  it.each([
    [{ LANG: 'C' }, false],
    [{ LANG: 'en_US' }, false],
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'C.utf8' }, true],
    [{ LC_ALL: 'POSIX', LC_CTYPE: 'C.UTF-8', LANG: 'C.UTF-8' }, false],
    [{ LC_ALL: '', LC_CTYPE: 'C.UTF-8', LANG: 'C' }, true],
    [{ LC_CTYPE: 'C', LANG: 'C.UTF-8' }, false],
    [{}, false],
    [{ WT_SESSION: '{1-2}' }, true],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, true],
    [{ TERM_PROGRAM: 'Apple_Terminal', LANG: 'C' }, false],
    [{ TERM_PROGRAM: 'tmux' }, false],
  ])('with %j shows UTF-8: %s', (env, shows) => {
    expect(showsUtf8(env, 'linux')).toBe(shows);
  });

  it.each([
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'unknown' }, false],
    [{}, false],
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'vt100' }, true],
  ])('with %j can move its cursor: %s', (env, moves) => {
    expect(movesCursor(env, 'linux')).toBe(moves);
  });

  it('of Windows needs no variable', () => {
    expect([showsUtf8({}, 'win32'), movesCursor({}, 'win32')]).toEqual([true, true]);
  });
});
