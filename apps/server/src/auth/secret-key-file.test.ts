import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeyFile, promoteNextKey } from './key-files.ts';
import { openSecretKey } from './key-ring.ts';
import { generationOf, randomBase62, secretKeyOf } from './secrets.ts';

describe('the file of the key', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarterdeck-key-file-'));
    path = join(dir, 'secret.key');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('holds 64 hexadecimal digits and a line feed, and leaves no draft', () => {
    openSecretKey(dir);
    expect(readFileSync(path, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/);
    openSecretKey(dir);
    expect(readdirSync(dir)).toEqual(['secret.key']);
  });

  it('is used where it exists, with space around its digits', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    writeFileSync(path, `\n  ${bytes.toString('hex')}\r\n`);
    expect(openSecretKey(dir).digest('x')).toEqual(secretKeyOf(bytes).digest('x'));
  });

  it('may be accompanied by the next key or the one before, each with its number', () => {
    const first = openSecretKey(dir);
    openKeyFile(dir, 'next', first.generation + 1);
    expect(readFileSync(`${path}.next`, 'latin1')).toMatch(/^[0-9a-f]{64} 2\n$/);
    const keys = openSecretKey(dir);
    expect(keys.keys.map(({ generation }) => generation)).toEqual([1, 2]);
    const [under1, under2] = keys.digests('x');
    expect(under1).toEqual(first.digest('x'));
    expect([under1, under2].map((digest) => digest && generationOf(digest))).toEqual([1, 2]);
    promoteNextKey(dir);
    expect(openSecretKey(dir)).toMatchObject({ generation: 2 });
    expect(readdirSync(dir).sort()).toEqual(['secret.key', 'secret.key.old']);
  });

  it('is refused with its length or its path', () => {
    writeFileSync(path, 'ab'.repeat(31));
    expect(() => openSecretKey(dir)).toThrow(/it must hold 64 hexadecimal digits/);
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
