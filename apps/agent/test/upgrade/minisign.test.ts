import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../../test/programs.ts';
import {
  FILE_HASH,
  type PublicKey,
  readPublicKey,
  readSignature,
  SignatureError,
  verifyComment,
  verifyFile,
} from '../../src/upgrade/minisign.ts';
import { temporaryFolder } from '../temporary.ts';
import { makeKey, publicText, signatureOf } from './downloads.ts';

const CONTENT = 'an executable';
const COMMENT = 'file:x version:1.2.3';

/** Verifies a file as an upgrade does. Returns the trusted comment. */
function verify(content: string, text: string, key: PublicKey): string {
  const signature = readSignature(text);
  verifyFile(signature, verifyComment(signature, [key]), createHash(FILE_HASH).update(content).digest());
  return signature.trustedComment;
}

const minisign = findProgram('minisign');

describe.skipIf(minisign === undefined)('files of minisign', () => {
  it('are read and verified, and those of the agent by it', async () => {
    const dir = await temporaryFolder();
    const run = (...args: string[]) =>
      execFileSync(minisign ?? '', args, { cwd: dir, stdio: 'pipe', encoding: 'utf8' });
    await writeFile(join(dir, 'x'), CONTENT);
    run('-G', '-W', '-p', 'x.pub', '-s', 'x.key');
    run('-S', '-s', 'x.key', '-m', 'x', '-t', COMMENT);
    const key = readPublicKey(await readFile(join(dir, 'x.pub'), 'utf8'));
    expect(verify(CONTENT, await readFile(join(dir, 'x.minisig'), 'utf8'), key)).toBe(COMMENT);

    const own = makeKey();
    await writeFile(join(dir, 'x.minisig'), signatureOf(CONTENT, COMMENT, own));
    expect(run('-V', '-m', 'x', '-P', publicText(own))).toContain(COMMENT);
  });

  it('are refused with a signature that has no prehash', async () => {
    const dir = await temporaryFolder();
    const run = (...args: string[]) => execFileSync(minisign ?? '', args, { cwd: dir, stdio: 'pipe' });
    await writeFile(join(dir, 'x'), CONTENT);
    run('-G', '-W', '-p', 'x.pub', '-s', 'x.key');
    run('-S', '-l', '-s', 'x.key', '-m', 'x');
    const text = await readFile(join(dir, 'x.minisig'), 'utf8');
    expect(() => readSignature(text)).toThrow('the signature is not one of a prehashed file');
  });
});

describe('a signature', () => {
  const key = makeKey();
  const text = signatureOf(CONTENT, COMMENT, key);

  it('is accepted as it is, also with the line ends of Windows', () => {
    expect(verify(CONTENT, text, key)).toBe(COMMENT);
    expect(verify(CONTENT, text.replaceAll('\n', '\r\n').trimEnd(), key)).toBe(COMMENT);
  });

  it('is refused after any change of a signed byte', () => {
    const [untrusted = '', ...signed] = text.split('\n');
    const rest = signed.join('\n').trimEnd();
    fc.assert(
      fc.property(fc.nat(rest.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        const changed = rest.slice(0, at) + String.fromCharCode(code) + rest.slice(at + 1);
        if (changed === rest) return;
        expect(() => verify(CONTENT, `${untrusted}\n${changed}\n`, key)).toThrow(SignatureError);
      }),
    );
  });

  it('is refused in any other form, without another error', () => {
    fc.assert(
      fc.property(fc.string(), (other) => {
        expect(() => verify(CONTENT, other, key)).toThrow(SignatureError);
        expect(() => readPublicKey(other)).toThrow(SignatureError);
      }),
    );
    for (let end = 0; end < text.length - 1; end += 1) {
      expect(() => verify(CONTENT, text.slice(0, end), key)).toThrow(SignatureError);
    }
    expect(() => verify(CONTENT, `${text}more\n`, key)).toThrow(SignatureError);
  });
});
