// Programs that use the terminal for a while: the user's editor and pager, whose commands come from the environment and
// run in a shell, and custom commands, which run without one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** Keeps the output of a program on the screen until Enter or Ctrl-C. */
const WAIT = 'printf "\\nPress Enter to return to the dashboard. "; read -r _';

/** The reason why a program cannot be started. */
export const startProblem = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'Program not found.' : `The program cannot be started (${code}).`;
};

/** Runs a program; its arguments are passed as they are. Resolves with null, or with the reason for a failure. */
export async function runWords([program = '', ...args]: readonly string[]): Promise<string | null> {
  try {
    const child = spawn(program, args, { stdio: 'inherit' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    await run(WAIT, []);
    return code === 0 ? null : `It exited with ${signal ?? code}.`;
  } catch (error) {
    return startProblem(error);
  }
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
