#!/usr/bin/env node
// The program: the server, or one of its commands. Whichever is asked for is loaded, and the other is not.
import './require-node.ts';

// Files that this process makes are for its user alone.
process.umask(0o077);

const argv = process.argv.slice(2);
const beginAnew = argv.length === 1 && argv[0] === '--begin-anew';
if (argv.length > 0 && !beginAnew) {
  const { runCommand } = await import('./cli/run-command.ts');
  process.exitCode = await runCommand(argv);
} else {
  const { serve } = await import('./serve.ts');
  await serve(beginAnew);
}
