// Programs of the user's own that have the terminal for a while: an editor, a pager. Their commands are what the
// environment says, for a shell, as everywhere.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Commands for the shell. */
export interface Programs {
  readonly editor: string;
  readonly pager: string;
}

/** Longer files are not taken back, bytes. */
const EDITED_MAX = 1_000_000;

/** Runs a command until it ends. Null where it ended well, else why not, in words. */
function run(command: string, args: readonly string[], input?: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = spawn('/bin/sh', ['-c', command, 'sh', ...args], {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  child.on('error', () => resolve('There is no shell to start it.'));
  child.on('close', (code, signal) => {
    if (code === 0) resolve(null);
    else resolve(code === 127 ? 'It is not installed.' : `It ended with ${signal ?? code}.`);
  });
  if (input !== undefined) {
    // A pager that is left early takes no more.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  }
  return promise;
}

/** What became of a text; the text as it was where the program failed, and why it did. */
export interface Edited {
  readonly text: string;
  readonly problem: string | null;
}

/** Lets a text be edited in a file of its own, which only its owner can read and which is gone afterwards. */
export async function editText({ editor }: Programs, text: string): Promise<Edited> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-'));
  const path = join(folder, 'note.txt');
  try {
    writeFileSync(path, text === '' ? '' : `${text}\n`, { mode: 0o600 });
    const problem = await run(`${editor} "$1"`, [path]);
    if (problem !== null) return { text, problem: `The editor: ${problem}` };
    const edited = readFileSync(path);
    if (edited.length > EDITED_MAX) return { text, problem: 'That is too long.' };
    return { text: edited.toString('utf8').replace(/\s+$/, ''), problem: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shows a text in the pager. Resolves with why it could not, or null. */
export async function pageText({ pager }: Programs, text: string): Promise<string | null> {
  const problem = await run(pager, [], text);
  return problem === null ? null : `The pager: ${problem}`;
}
