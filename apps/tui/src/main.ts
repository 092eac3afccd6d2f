#!/usr/bin/env node
// Starts the dashboard, or prints one answer. The only file with side effects on import.
import { readFileSync } from 'node:fs';
import { ConfigError } from '@quarterdeck/core/environment';
import { enableCompileCache } from './compile-cache.ts';
import { type Config, HELP, readConfig, takeEnvironment } from './config.ts';
import { skeleton } from './dashboard/skeleton.ts';
import { RealTerminal } from './terminal/index.ts';

/** The oldest Node that Ink and the SDK support. */
const NODE_MIN = 22;
/** Longest wait for the first answer before the dashboard shows that it connects, milliseconds. */
const ANSWER_MS = 50;

async function main(): Promise<number> {
  const { stdin, stdout, stderr, argv } = process;
  if (Number.parseInt(process.versions.node, 10) < NODE_MIN) {
    stderr.write(
      `quarterdeck: needs Node ${NODE_MIN} or newer, this is ${process.version}; ` +
        'run npx -y pnpm@12 tui in the folder of the project, which brings one\n',
    );
    return 2;
  }
  let config: Config;
  try {
    config = readConfig(argv.slice(2), takeEnvironment(), (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`quarterdeck: ${error.message}\n`);
    return 2;
  }

  if (config.mode === 'help') {
    stdout.write(HELP);
    return 0;
  }
  if (config.mode === 'version') {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    stdout.write(`quarterdeck ${version}\n`);
    return 0;
  }
  if (config.mode !== 'screen') {
    const { printOverview } = await import('./dashboard/print-overview.ts');
    return printOverview(config, stdout, stderr);
  }
  if (!stdin.isTTY || !stdout.isTTY) {
    stderr.write('quarterdeck: not a terminal; use --once for a text overview or --json for JSON.\n');
    return 2;
  }
  const terminal = new RealTerminal(process);
  terminal.open(skeleton(stdout.columns, stdout.rows, config.profile.url));
  enableCompileCache();
  // Loads Ink and React after the skeleton is drawn and the server is asked: they take longer than everything above,
  // and the server answers meanwhile.
  const { begin } = await import('./start.ts');
  const start = await begin(config, stdout.columns);
  const { runDashboard } = await import('./dashboard/run.tsx');
  // A server nearby has answered by now, so that the first screen drawn is the final one.
  await Promise.race([start.firstSession.settled(), new Promise((resolve) => setTimeout(resolve, ANSWER_MS))]);
  return runDashboard(start, terminal);
}

// Open keep-alive connections must not keep the process alive.
main().then((code) => process.exit(code));
