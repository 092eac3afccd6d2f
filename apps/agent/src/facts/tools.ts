// Versions of the tracing tools, by the commands the operator configured. Nothing is run that nobody asked for.
import type { Command } from '../config-values.ts';
import { firstLine } from './clean.ts';
import type { Exec } from './exec.ts';

/** The commands that print versions; undefined = that tool is not asked. */
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

/** The versions of the configured tools; '' for one that is not configured or does not answer. */
export async function readDependency(exec: Exec, tools: Tools): Promise<Dependency> {
  const [stap, odb] = await Promise.all([versionOf(exec, tools.stap), versionOf(exec, tools.odb)]);
  return { stap_version: stap, odb_version: odb };
}
