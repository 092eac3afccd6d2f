// Versions of the tracing tools, from the commands that the operator configured. Nothing else is run.
import type { Command } from '../settings/config-values.ts';
import { firstLine } from './clean.ts';
import type { Exec } from './exec.ts';

/** Commands that print versions; undefined = the tool is skipped. */
export interface Tools {
  readonly stap: Command | undefined;
  readonly odb: Command | undefined;
}

/** `dependency` of the specification. */
export interface Dependency {
  readonly stap_version: string;
  readonly odb_version: string;
}

async function versionOf(exec: Exec, command: Command | undefined): Promise<string> {
  if (command === undefined) return '';
  const { ok, stdout, stderr } = await exec(command);
  // SystemTap prints its version to stderr.
  return ok ? firstLine(stdout) || firstLine(stderr) : '';
}

/** Reads the versions of the configured tools; '' for a tool that is not configured or fails. */
export async function readDependency(exec: Exec, tools: Tools): Promise<Dependency> {
  const [stap, odb] = await Promise.all([versionOf(exec, tools.stap), versionOf(exec, tools.odb)]);
  return { stap_version: stap, odb_version: odb };
}
