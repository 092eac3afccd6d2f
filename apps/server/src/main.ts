#!/usr/bin/env node
// The program: the server, or one of its commands. Only the requested one is loaded.
import './process/require-node.ts';
import { guardOutput } from '@quarterdeck/core/output';

// New files of this process are for its user alone.
process.umask(0o077);

const argv = process.argv.slice(2);
const beginAnew = argv.length === 1 && argv[0] === '--begin-anew';
if (argv.length > 0 && !beginAnew) {
  guardOutput('quarterdeckd');
  const { runCommand } = await import('./cli/run-command.ts');
  process.exitCode = await runCommand(argv);
} else {
  // A server goes on where nobody can read its log.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const { serve } = await import('./compose/serve.ts');
  await serve({ beginAnew });
}
