// Copying with real programs that store their input.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClipboardProgram, clipboardSequence, copyText } from '../../src/system/clipboard.ts';

const TEXT = 'qd_t_ünïcode\nsecond line';
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-clipboard-'));
const kept = join(folder, 'kept');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(kept, { force: true }));

function program(name: string, script: string): ClipboardProgram {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return [path];
}

const keeps = program('keeps', `cat > '${kept}'`);
const refuses = program('refuses', 'exit 1');
const missing: ClipboardProgram = [join(folder, 'not-there')];

async function copied(isTmux: boolean, ...programs: ClipboardProgram[]): Promise<string[]> {
  const written: string[] = [];
  await copyText({ isTmux, programs }, TEXT, (sequence) => void written.push(sequence));
  return written;
}

describe('copying', () => {
  it('uses the terminal and the first program that succeeds', async () => {
    expect(await copied(false, missing, refuses, keeps)).toEqual([clipboardSequence(TEXT)]);
    expect(readFileSync(kept, 'utf8')).toBe(TEXT);
  });

  it('tries no program after one that succeeded', async () => {
    await copied(false, program('first', 'cat > /dev/null'), keeps);
    expect(existsSync(kept)).toBe(false);
  });

  it('uses the program of tmux, and the terminal only if that fails', async () => {
    expect(await copied(true, keeps)).toEqual([]);
    expect(readFileSync(kept, 'utf8')).toBe(TEXT);
    expect(await copied(true, refuses)).toEqual([clipboardSequence(TEXT)]);
  });

  it('survives a program that ends before it has read everything', async () => {
    const copying = copyText({ isTmux: false, programs: [refuses] }, 'x'.repeat(1_000_000), () => undefined);
    await expect(copying).resolves.toBeUndefined();
  });
});
