// The key under which the agents of an installation hash files, so that hosts can be compared. It is derived from the
// key of the server. So all servers of a database have the same one, and the database does not have it.
import { createHash } from 'node:crypto';
import type { SecretKey } from '../../auth/secrets.ts';

/**
 * Returns the key in base64url where an agent has another one; `agentHas` is the name of its key, '' without one. The
 * name is half of the SHA-256 of the bytes, in hexadecimal.
 */
export function keyToHandOut(key: Pick<SecretKey, 'macFor'>, agentHas: string): string | undefined {
  const bytes = Buffer.from(key.macFor('hashes of files', 'installation'), 'hex');
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return name === agentHas ? undefined : bytes.toString('base64url');
}
