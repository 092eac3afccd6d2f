// Standard streams of a command, and questions to the person at the terminal.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { valueIn } from '@quarterdeck/core/plain';
import { cleanLines } from '@quarterdeck/views/text';
import { CommandError, usage } from '../process/command-error.ts';

/** Streams of a process. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Writes and waits until the stream takes more. */
export async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text !== '' && !stream.write(text)) await once(stream, 'drain');
}

/** Tells something on standard error, so that output stays clean. Texts of a server are made safe to show. */
export const say = (io: Io, text: string): Promise<void> => write(io.stderr, `${cleanLines(text).join('\n')}\n`);

/** Text of a server as it is; on a terminal without control characters. */
export const shown = ({ stdout }: Io, text: string): string =>
  stdout.isTTY === true ? cleanLines(text).join('\n') : text;

/** Reports whether a person can answer a question. */
export const canAsk = ({ stdin, stderr }: Io): boolean => stdin.isTTY === true && stderr.isTTY === true;

/** Asks for a line. Questions go to standard error, so that output stays clean. */
export function ask({ stdin, stderr }: Io, question: string, echo: 'shown' | 'hidden' = 'shown'): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = echo === 'shown' ? stderr : silent;
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    let answer: string | undefined;
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      if (echo === 'hidden') stderr.write('\n');
      if (answer === undefined) reject(new CommandError('refused', 'Interrupted; nothing was done.'));
      else resolve(answer);
    });
    // The terminal shows nothing that is typed from here on.
    if (echo === 'hidden') stderr.write(question);
    lines.question(echo === 'shown' ? question : '', (line) => {
      answer = line;
      lines.close();
    });
  });
}

/** Asks a question that only `y` or `yes` affirms. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await ask(io, `${question} [y/N] `)).trim());
}

/** Reads everything from standard input. */
export async function readInput({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Takes a secret from standard input, or asks for it without showing it. A secret is never an argument: other users
 * see arguments in the list of processes.
 */
export async function readSecret(io: Io, question: string, fromInput: boolean): Promise<string> {
  if (!fromInput && !canAsk(io)) {
    throw usage(
      `${question.replace(/:\s*$/, '')} is needed: there is no terminal to ask at; send it to standard input.`,
    );
  }
  const secret = fromInput ? valueIn(await readInput(io)) : await ask(io, question, 'hidden');
  if (secret === '') throw usage(`${question.replace(/:\s*$/, '')} is empty.`);
  return secret;
}
