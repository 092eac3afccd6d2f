// Serves the tools for assistants on standard input and output.
import { serveStdio } from '@quarterdeck/mcp';
import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { VERSION } from '../process/version.ts';
import { say } from '../terminal/io.ts';

/** Serves until the assistant closes the input. */
export async function runMcp({ values, program }: Invocation): Promise<undefined> {
  const { stdin: input, stdout: output } = program.io;
  const onError = (error: unknown): void => {
    void say(program.io, error instanceof Error ? error.message : String(error));
  };
  const allowChanges = values['allow_changes'] === true;
  await serveStdio(connect(program, values).client, { version: VERSION, allowChanges, input, output, onError });
}
