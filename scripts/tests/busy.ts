// `pnpm test:busy [RUNS]`: the default run, three times unless RUNS says otherwise, beside two busy loops and a program
// that writes to the disk. A test that needs a quiet machine fails here.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, runVitest } from './vitest.ts';

const LOOP = 'for (;;);';
/** Writes 64 MiB again and again, each time through to the disk. */
const WRITER = `
  const { closeSync, fsyncSync, openSync, writeSync } = require('node:fs');
  const block = Buffer.alloc(1 << 20, 'x');
  for (;;) {
    const file = openSync(process.argv[1], 'w');
    for (let i = 0; i < 64; i += 1) writeSync(file, block);
    fsyncSync(file);
    closeSync(file);
  }`;

const runs = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-busy-'));
const load: ChildProcess[] = [[LOOP], [LOOP], [WRITER, join(folder, 'written')]].map(([code = '', ...args]) =>
  spawn(process.execPath, ['-e', code, ...args], { stdio: 'ignore' }),
);
try {
  report(Array.from({ length: runs }, () => runVitest([])));
} finally {
  for (const child of load) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
