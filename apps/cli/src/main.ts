#!/usr/bin/env node
// Starts the dashboard or a command. The only file with side effects on import.
import './process/require-node.ts';
import { useNetwork } from '@quarterdeck/core/network';
import { guardOutput } from '@quarterdeck/core/output';
import { enableCompileCache } from '@quarterdeck/tui/compile-cache';
import { wantsDashboard } from './command/arguments.ts';
import { VERSION } from './process/version.ts';

async function main(args: readonly string[]): Promise<number> {
  const { stdout } = process;
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    stdout.write(`quarterdeck ${VERSION}\n`);
    return 0;
  }
  try {
    // biome-ignore lint/style/noProcessEnv: config.ts would load the profiles before they are needed
    useNetwork(process.env, (text) => process.stderr.write(`quarterdeck: ${text}\n`));
  } catch (error) {
    process.stderr.write(`quarterdeck: ${(error as Error).message}\n`);
    return 2;
  }
  if (wantsDashboard(args)) {
    const { runDashboard } = await import('./account/dashboard.ts');
    return runDashboard(args);
  }
  enableCompileCache();
  const { runCommandLine } = await import('./command-line.ts');
  return runCommandLine(args, process);
}

guardOutput('quarterdeck');
// Open keep-alive connections must not keep the process alive; what is written must leave it first.
main(process.argv.slice(2)).then((code) => {
  process.stdout.write('', (error) => {
    // The guard ends the process where the output could not be written.
    if (error == null) process.exit(code);
  });
});
