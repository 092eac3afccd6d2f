#!/usr/bin/env node
// Starts the dashboard or a command. The only file with side effects on import.
import './require-node.ts';
import { enableCompileCache } from '@quarterdeck/tui/compile-cache';
import { wantsDashboard } from './arguments.ts';
import { VERSION } from './version.ts';

async function main(args: readonly string[]): Promise<number> {
  const { stdout } = process;
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    stdout.write(`quarterdeck ${VERSION}\n`);
    return 0;
  }
  if (wantsDashboard(args)) {
    const { runDashboard } = await import('./dashboard.ts');
    return runDashboard(args);
  }
  enableCompileCache();
  const { runCommandLine } = await import('./command-line.ts');
  return runCommandLine(args, process);
}

// A reader such as `head` that has read enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
// Open keep-alive connections must not keep the process alive; what is written must leave it first.
main(process.argv.slice(2)).then((code) => process.stdout.write('', () => process.exit(code)));
