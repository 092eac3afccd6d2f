import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { Splitter } from '../terminal/index.ts';
import { createKeyboard } from './keyboard.ts';

/** A screen with a list, where digits open screens too. `pass` ends the wait of a digit. */
function setUp() {
  let waiting: (() => void) | null = null;
  const keyboard = createKeyboard((run) => {
    waiting = run;
    return () => {
      waiting = null;
    };
  });
  keyboard.setRefusal(() => null);
  const ran: string[] = [];
  keyboard.setSay((text) => void ran.push(text));
  const record = (name: string) => (times: number) => void ran.push(times > 1 ? `${name} x${times}` : name);
  const handlers = (...commands: string[]) => Object.fromEntries(commands.map((name) => [name, record(name)]));
  keyboard.set('errlog', {
    owner: {},
    handlers: {
      ...handlers('down', 'up', 'top', 'copyRow', 'refresh', 'panHome', 'close', 'nextError'),
      byError: 'Select a row first.',
    },
  });
  keyboard.set('app', { owner: {}, handlers: handlers('goErrlog', 'goAgents') });
  keyboard.set('root', { owner: {}, handlers: handlers('quitNow') });
  const splitter = new Splitter();
  return {
    keyboard,
    ran,
    type: (sent: string) => keyboard.press(splitter.push(sent)),
    pass: () => waiting?.(),
  };
}

/** The same keys in one chunk, and one chunk for each. */
const CHUNKINGS = [
  ['in one chunk', (sent: string) => [sent]],
  ['one by one', (sent: string) => [...sent]],
] as const;

describe.each(nonEmpty(CHUNKINGS))('counts, typed %s', (_chunking, chunks) => {
  it.each<[typed: string, ran: string[]]>([
    ['10j', ['down x10']],
    ['3k', ['up x3']],
    ['100j2k', ['down x100', 'up x2']],
    ['20jj', ['down x20', 'down']],
    ['5gg', ['top']],
    ['12r', ['refresh']],
    ['0', ['panHome']],
    ['99999999999j', ['down x99999']],
    ['2r', ['goErrlog', 'refresh']],
    ['2gg', ['goErrlog', 'top']],
    ['gg', ['top']],
    ['yy', ['copyRow']],
    ['ggyy', ['top', 'copyRow']],
    ['gj', ['g j: no such key']],
    ['bqj', ['b q: no such key', 'down']],
    ['be', ['Select a row first.']],
    ['b\u001Bj', ['down']],
    ['12\u001Bj', ['down']],
    ['b\u0003', ['quitNow']],
    [']e', ['nextError']],
    ['5]e', ['nextError x5']],
    ['12]ej', ['nextError x12', 'down']],
    ['g3j', ['goAgents', 'down']],
  ])('%s', (typed, expected) => {
    const { ran, type } = setUp();
    for (const chunk of chunks(typed)) type(chunk);
    expect(ran).toEqual(expected);
  });
});

it.each(nonEmpty(CHUNKINGS))('runs a chord of equal keys once for each two of them, typed %s', (_chunking, chunks) => {
  const { keyboard, ran, type } = setUp();
  keyboard.set('errlog', { owner: {}, handlers: {} });
  keyboard.set('agents', { owner: {}, handlers: { nextTab: (times) => void ran.push(`nextTab x${times}`) } });
  for (const chunk of chunks(']]]]3]]')) type(chunk);
  expect(ran).toEqual(['nextTab x1', 'nextTab x1', 'nextTab x3']);
});

describe('the keys that wait', () => {
  it('are shown as they are typed', () => {
    const { keyboard, type } = setUp();
    const shown: string[] = [];
    keyboard.subscribe(() => {
      const { count, prefix } = keyboard.pending();
      shown.push(`${count}${prefix ?? ''}`);
    });
    for (const key of '12]ebs') type(key);
    expect(shown).toEqual(['1', '12', '12]', '', 'b', '']);
  });
});

describe('a digit that is also a command', () => {
  it('runs that command when nothing follows', () => {
    const { ran, type, pass } = setUp();
    type('3');
    expect(ran).toEqual([]);
    pass();
    expect(ran).toEqual(['goAgents']);
    type('j');
    expect(ran).toEqual(['goAgents', 'down']);
  });

  it('runs that command at once where no command repeats', () => {
    const { keyboard, ran, type } = setUp();
    keyboard.set('errlog', { owner: {}, handlers: {} });
    type('3');
    expect(ran).toEqual(['goAgents']);
  });

  it('is text in a text field', () => {
    const { keyboard, ran, type } = setUp();
    let typed = '';
    keyboard.set('prompt', { owner: {}, handlers: {}, onText: (text) => (typed += text) });
    type('10j');
    expect({ typed, ran }).toEqual({ typed: '10j', ran: [] });
  });
});

describe('keys and pastes in one chunk', () => {
  it('keep their order', () => {
    const { keyboard, ran, type } = setUp();
    let typed = '';
    keyboard.set('prompt', {
      owner: {},
      handlers: { submit: () => void ran.push(`submit ${typed}`) },
      onText: (text) => (typed += text),
    });
    type('a\u001B[200~jjj\u001B[201~b\r');
    expect(ran).toEqual(['submit ajjjb']);
  });

  it('run no command from a paste', () => {
    const { ran, type } = setUp();
    type('\u001B[200~jjr\u001B[201~k');
    expect(ran).toEqual(['up']);
  });
});
