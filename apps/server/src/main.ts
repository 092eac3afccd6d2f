#!/usr/bin/env node
// The program: the server, or one of its commands. Only the requested one is loaded.
import './require-node.ts';

// New files of this process are for its user alone.
process.umask(0o077);

const argv = process.argv.slice(2);
const beginAnew = argv.length === 1 && argv[0] === '--begin-anew';
if (argv.length > 0 && !beginAnew) {
  // A reader such as `head` that has read enough is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const { runCommand } = await import('./cli/run-command.ts');
  process.exitCode = await runCommand(argv);
} else {
  const { serve } = await import('./serve.ts');
  await serve(beginAnew);
}
