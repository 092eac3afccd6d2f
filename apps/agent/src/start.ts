#!/usr/bin/env node
// The entrance of the bundle. A single executable hands over to a newer downloaded one, if there is one, before the
// rest of the program is loaded.
import './process/require-node.ts';
import { isSea } from 'node:sea';
import { findAgentDir, ownEnvironment } from './files/agent-dir.ts';
import { chooseProgram, handOver, isHandedOver } from './upgrade/hand-over.ts';
import { programFolderIn } from './upgrade/program-folder.ts';

/** Set at build time. */
declare const BUNDLED_VERSION: string;

/** Commands and options that the installed executable answers itself. */
const OWN = new Set(['enroll', 'uninstall', 'upgrade', 'rollback', '--help', '-h', '--version', '-V']);

/** Hands over to a downloaded executable; returns where this one is to run. */
async function launch(): Promise<void> {
  if (isHandedOver(ownEnvironment) || process.argv.slice(2).some((word) => OWN.has(word))) return;
  const agentDir = findAgentDir();
  if (agentDir === undefined) return;
  const [folder, installed] = [programFolderIn(agentDir), { path: process.execPath, version: BUNDLED_VERSION }];
  const say = (line: string) => void process.stderr.write(`quarterdeck-agent: ${line}\n`);
  const chosen = await chooseProgram({ folder, installed, say });
  if (chosen !== undefined) handOver(folder, chosen, installed, ownEnvironment);
}

async function start(): Promise<void> {
  if (isSea()) await launch();
  await import('./main.ts');
}

// Not `await`: a single executable runs a script of CommonJS, which cannot have it at the top.
void start();
