import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

const read = (...commands: readonly object[]) => readSettings({ commands });
const PING = { key: 'ctrl+g', name: 'Ping host', command: 'ping -c 1 {hostname}' };

describe('a custom command', () => {
  it('is read from its table', () => {
    const { settings, problems } = read(PING, {
      name: 'ssh',
      command: ['ssh', '{hostname}'],
      screens: ['agents', 'errors'],
      confirm: true,
      background: true,
    });
    expect(problems).toEqual([]);
    expect(settings.commands).toEqual([
      {
        name: 'Ping host',
        word: 'ping-host',
        keys: ['ctrl+g'],
        words: ['ping', '-c', '1', '{hostname}'],
        screens: null,
        confirm: false,
        background: false,
      },
      {
        name: 'ssh',
        word: 'ssh',
        keys: [],
        words: ['ssh', '{hostname}'],
        screens: ['agents', 'errlog'],
        confirm: true,
        background: true,
      },
    ]);
  });

  it.each([
    [{ ...PING, key: '?' }, 'key', /the key \? of Ping host is taken: Show all keys/],
    [{ ...PING, key: 'g' }, 'key', /is taken/],
    [{ ...PING, key: 'g g' }, 'key', /is taken/],
    [{ ...PING, key: 'ctrl+c' }, 'key', /Quit from anywhere/],
    [{ ...PING, key: 'ctrl-g' }, 'key', /key must be a key such as/],
    [{ ...PING, key: '' }, 'key', /key must be a key such as/],
    [{ ...PING, kay: 'x' }, 'kay', /unknown key kay/],
    [{ ...PING, confirm: 'yes' }, 'confirm', /confirm must be true or false/],
    [{ ...PING, screens: ['moon'] }, 'screens', /unknown screen moon/],
  ])('with a wrong part is kept without it: %j', (table, key, text) => {
    const { settings, problems } = read(table);
    expect(problems).toEqual([{ path: ['commands', '0', key], text: expect.stringMatching(text) }]);
    expect(settings.commands).toHaveLength(1);
  });

  it.each([
    [{ command: 'x' }, /needs a name/],
    [{ ...PING, name: '-x' }, /needs a name/],
    [{ ...PING, name: 'Logs' }, /the name is taken: there is a command :logs/],
    [{ ...PING, name: 'q' }, /the name is taken/],
    [{ name: 'x' }, /command must be a line/],
    [{ name: 'x', command: [] }, /command must be a line/],
    [{ name: 'x', command: ['a', 1] }, /command must be a line/],
    [{ name: 'x', command: 'say "open' }, /closed quotes/],
    [{ name: 'x', command: ['a\0b'] }, /command must be a line/],
    [{ name: 'x', command: '{hostname} -v' }, /is the program, which cannot contain a field/],
    ['text', /needs a table/],
  ])('without what it needs is left out: %j', (table, text) => {
    const { settings, problems } = read(table as object);
    expect(problems.map((problem) => problem.text)).toEqual([expect.stringMatching(text)]);
    expect(settings.commands).toEqual([]);
  });

  it('shares a key only with one on other screens', () => {
    const on = (name: string, screens?: readonly string[]) => ({ ...PING, name, ...(screens && { screens }) });
    expect(read(on('a', ['agents']), on('b', ['logs'])).problems).toEqual([]);
    expect(read(on('a', ['agents']), on('b')).problems[0]?.text).toBe('the key ctrl+g of b is taken: a');
  });

  it('takes a key that the settings have freed', () => {
    const commands = [{ ...PING, key: '?' }];
    expect(readSettings({ commands, keys: { 'app.help': 'f1' } }).problems).toEqual([]);
  });
});
