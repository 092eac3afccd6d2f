import { describe, expect, it } from 'vitest';
import { startFollowing } from './following.ts';

describe('a line without an end', () => {
  it('waits for its end while the file is written to, and is not cut', async () => {
    const logs = await startFollowing('error.log');
    await logs.write('error.log', 'one half');
    for (let looks = 0; looks < 70; looks += 1) expect(await logs.lookOnce()).toEqual([]);
    await logs.write('error.log', ' and the other\n');
    expect(await logs.look()).toEqual(['one half and the other']);
  });
});

describe('more files than can be open', () => {
  it('are left unread, and logged once each', async () => {
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
