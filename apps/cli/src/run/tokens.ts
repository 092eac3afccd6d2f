// Revokes leaked tokens by their secrets, which come from standard input only.

import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { readInput, write } from '../terminal/io.ts';

/** Most secrets of a request. */
const SECRETS_MAX = 1_000;

/** Revokes the tokens whose secrets standard input has. */
export async function runRevokeSecrets({ values, program: { io, ...program } }: Invocation): Promise<undefined> {
  const secrets = (await readInput(io)).split(/\s+/).filter(Boolean);
  if (secrets.length === 0) throw usage('Standard input has no secrets.');
  if (values['dry_run'] === true) {
    await write(io.stdout, `${secrets.length} secrets would be revoked.\n`);
    return;
  }
  const { client } = connect({ io, ...program }, values);
  let revoked = 0;
  for (let at = 0; at < secrets.length; at += SECRETS_MAX) {
    revoked += (await client.apiToken.revoke({ body: { tokens: secrets.slice(at, at + SECRETS_MAX) } })).revoked;
  }
  await write(io.stdout, `${revoked} of ${secrets.length} secrets were valid and are revoked.\n`);
}
