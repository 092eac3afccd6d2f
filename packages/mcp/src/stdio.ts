// The tools on standard input and output, for an assistant that starts this program.
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { Client } from '@quarterdeck/sdk';
import { createToolServer } from './tool-server.ts';
import { createConfirmations } from './tools/confirmations.ts';

export interface StdioOptions {
  /** Version of the program. */
  readonly version: string;
  /** Offer the tools that change something; off by default. */
  readonly allowChanges?: boolean | undefined;
  /** Called with defects and with messages that are not of the protocol. Must not write to the output. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Default: standard input and output of the process. */
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
}

/** Serves the tools, and resolves when the assistant closes the input. Nothing else may write to the output. */
export async function serveStdio(client: Client, options: StdioOptions): Promise<void> {
  const { version, allowChanges = false, onError = () => {}, input = process.stdin, output = process.stdout } = options;
  const confirmations = createConfirmations();
  const caller = 'stdio';
  const closed = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
  });
  const server = () => createToolServer({ client, caller, confirmations, allowChanges, version, onDefect: onError });
  const handle = serve(server, {
    transport: new StdioServerTransport(input, output),
    onerror: onError,
    maxSubscriptions: 0,
  });
  await closed;
  await handle.close();
}
