// Passwords of users: from a prompt or from standard input, never an argument.

import { connect, withConfirmation } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { type Io, readSecret, say } from '../terminal/io.ts';

/** Reads a new password, twice where a person types it. */
export async function readNewPassword(io: Io, values: Values): Promise<string> {
  const fromInput = values['password_stdin'] === true;
  const password = await readSecret(io, 'New password: ', fromInput);
  if (!fromInput && (await readSecret(io, 'Repeat the password: ', false)) !== password) {
    throw usage('The passwords differ; nothing was changed.');
  }
  return password;
}

/** Sets the password of a user. */
export async function runPassword({ args, values, program }: Invocation): Promise<undefined> {
  const { io } = program;
  const connection = connect(program, values);
  const password = await readNewPassword(io, values);
  const params = { id: Number(args[0]) };
  await withConfirmation(io, connection, () => connection.client.user.update({ params, body: { password } }));
  if (io.stderr.isTTY === true) await say(io, 'The password is changed; the sessions of the user have ended.');
}
