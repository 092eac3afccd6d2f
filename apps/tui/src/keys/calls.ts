// The access of a command, from the endpoint that it calls.
import type { Access } from '@quarterdeck/core';

/** The endpoint's access, and that the command changes something on the server, if it does. */
export const calls = ({ access, method }: { readonly access: Access; readonly method: string }) => ({
  access,
  ...(method === 'GET' ? {} : { changes: true as const }),
});
