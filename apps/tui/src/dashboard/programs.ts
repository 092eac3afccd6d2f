// The user's editor and pager, which use the terminal for a while. Their commands come from the environment and run in
// a shell.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Shell commands. */
export interface Programs {
  readonly editor: string;
  readonly pager: string;
}

/** Maximum size of an edited file, bytes. */
const EDITED_MAX = 1_000_000;

/** Runs a command. Resolves with null if it succeeded, else with the reason as a sentence. */
function run(command: string, args: readonly string[], input?: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = spawn('/bin/sh', ['-c', command, 'sh', ...args], {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  child.on('error', () => resolve('No shell found.'));
  child.on('close', (code, signal) => {
    if (code === 0) resolve(null);
    else resolve(code === 127 ? 'Command not found.' : `It exited with ${signal ?? code}.`);
  });
  if (input !== undefined) {
    // The user may leave a pager before it has read everything.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  }
  return promise;
}

/** An edited text. If the editor failed, the text is unchanged and `problem` says why. */
export interface Edited {
  readonly text: string;
  readonly problem: string | null;
}

/** Opens a text in the editor, in a temporary file that only its owner can read. */
export async function editText({ editor }: Programs, text: string): Promise<Edited> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-'));
  const path = join(folder, 'note.txt');
  try {
    writeFileSync(path, text === '' ? '' : `${text}\n`, { mode: 0o600 });
    const problem = await run(`${editor} "$1"`, [path]);
    if (problem !== null) return { text, problem: `Editor: ${problem}` };
    const edited = readFileSync(path);
    if (edited.length > EDITED_MAX) return { text, problem: 'The text is too long.' };
    return { text: edited.toString('utf8').replace(/\s+$/, ''), problem: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shows a text in the pager. Resolves with null, or with the reason for a failure. */
export async function pageText({ pager }: Programs, text: string): Promise<string | null> {
  const problem = await run(pager, [], text);
  return problem === null ? null : `Pager: ${problem}`;
}
