// Checks the audit log.

import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { printObject } from '../output/print.ts';
import { exitCode } from '../process/exit-codes.ts';

/** Prints the verdict of the server; the exit code tells a script. */
export async function runVerify({ values, program }: Invocation): Promise<number | undefined> {
  const verdict = await connect(program, values).client.audit.verify();
  await printObject(program.io, verdict, values);
  return verdict.intact ? undefined : exitCode('auditBroken');
}
