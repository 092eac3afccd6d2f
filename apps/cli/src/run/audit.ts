// Checks the audit log.
import type { Invocation } from '../command.ts';
import { connect } from '../connection.ts';
import { exitCode } from '../exit-codes.ts';
import { printObject } from '../output/print.ts';

/** Prints the verdict of the server; the exit code tells a script. */
export async function runVerify({ values, program }: Invocation): Promise<number | undefined> {
  const verdict = await connect(program, values).client.audit.verify();
  await printObject(program.io, verdict, values);
  return verdict.intact ? undefined : exitCode('auditBroken');
}
