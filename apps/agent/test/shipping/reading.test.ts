import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../test/thoroughness.ts';
import { startFollowing } from './following.ts';

describe('a line without an end', () => {
  it('waits for its end while the file is written to, and is not cut', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one half');
    for (let looks = 0; looks < 70; looks += 1) expect(await logs.lookOnce()).toEqual([]);
    expect(await logs.add('error.log', ' and the other\n')).toEqual(['one half and the other']);
  });
});

describe('more files than can be open', () => {
  it.runIf(IS_THOROUGH)('are left unread, and logged once each', async () => {
    const logs = await startFollowing('*.log');
    for (let n = 0; n < 1_002; n += 1) await logs.write(`${n}.log`, `line ${n}\n`);
    await logs.look();
    const waiting = () => logs.said.filter((message) => message === 'cannot open a file to follow');
    expect(waiting()).toHaveLength(2);
    expect(logs.entries).toHaveLength(1_000);
  });
});

describe('a stack trace', () => {
  it('is not read again after a restart', async () => {
    const logs = await startFollowing('error.log');
    const trace = 'TypeError: no\n    at a (/a.js:1:1)\n    at b (/b.js:1:1)';
    await logs.write('error.log', `${trace}\nnext\n`);
    // The line after the trace waits for a second poll; the crash comes first.
    expect(await logs.lookOnce()).toEqual([trace]);
    await logs.restart();
    expect(await logs.look()).toEqual(['next']);
  });
});

describe('a file in UTF-16', () => {
  it('is recognised by its mark, also after a restart', async () => {
    const logs = await startFollowing('error.log');
    const text = '\uFEFFERROR caf\u00e9 \u4e2d\r\n\r\nTypeError: no\r\n    at a (/a.js:1:1)\r\n';
    await logs.write('error.log', Buffer.from(text, 'utf16le'));
    expect(await logs.look()).toEqual(['ERROR caf\u00e9 \u4e2d', 'TypeError: no\n    at a (/a.js:1:1)']);
    await logs.restart();
    expect(await logs.add('error.log', Buffer.from('next\r\n', 'utf16le'))).toEqual(['next']);
  });

  it('with the high byte first is named in the log once', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', Buffer.from('\uFEFFone\n', 'utf16le').swap16());
    await logs.look();
    await logs.add('error.log', Buffer.from('two\n', 'utf16le').swap16());
    expect(logs.said.filter((message) => message.includes('UTF-16'))).toHaveLength(1);
  });
});
