import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { openSecretKey } from './key-ring.ts';
import { randomBase62, secretKeyOf } from './secrets.ts';

describe('the file of the key', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = newFolder();
    path = join(dir, 'secret.key');
  });

  it('is created once, for its owner alone, with 64 hexadecimal digits and a line feed', () => {
    const digest = openSecretKey(dir).digest('x');
    expect(readFileSync(path, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openSecretKey(dir).digest('x')).toEqual(digest);
    expect(readdirSync(dir)).toEqual(['secret.key']);
  });

  it('is used where it exists, with space around its digits', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    writeFileSync(path, `\n  ${bytes.toString('hex')}\r\n`);
    expect(openSecretKey(dir).digest('x')).toEqual(secretKeyOf(bytes).digest('x'));
  });

  it('is refused with its length or its path', () => {
    writeFileSync(path, 'ab'.repeat(31));
    expect(() => openSecretKey(dir)).toThrow(/is not a key file.*it must hold 64 hexadecimal digits/);
    expect(readFileSync(path, 'latin1')).toBe('ab'.repeat(31));
    rmSync(path);
    mkdirSync(path);
    expect(() => openSecretKey(dir)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: `cannot read ${path}`, cause: expect.anything() }),
    );
  });

  it.runIf(process.platform === 'linux')('is closed', () => {
    const opened = () => readdirSync('/proc/self/fd').length;
    openSecretKey(dir);
    rmSync(path);
    const before = opened();
    openSecretKey(dir);
    expect(opened()).toBe(before);
  });
});

describe('random text', () => {
  it.each([0, 1, 43, 200])('of length %i is that long', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });
});
