// The node id: identifies this host for as long as it exists.
import { createHmac, randomUUID } from 'node:crypto';
import { readEnvironment } from './environment.ts';
import type { Host } from './host.ts';

// Purpose of the id. Changing this text would give every host a new id.
const PURPOSE = 'quarterdeck-agent node id, version 1';

/**
 * Derives an id (a UUID) that does not reveal the machine id: machine-id(5) requires a keyed hash for ids that leave
 * the host. Returns undefined for an invalid machine id (empty, `uninitialized`, damaged).
 */
export function deriveNodeId(machineId: string): string | undefined {
  const id = machineId.trim();
  if (!/^[0-9a-f]{32}$/.test(id) || /^0+$/.test(id)) return undefined;
  const hash = createHmac('sha256', Buffer.from(id, 'hex')).update(PURPOSE).digest().subarray(0, 16);
  // Version 8 and the variant of RFC 9562: a custom id.
  hash.writeUInt8(((hash[6] ?? 0) & 0x0f) | 0x80, 6);
  hash.writeUInt8(((hash[8] ?? 0) & 0x3f) | 0x80, 8);
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Chooses the id of a host that has none yet. Containers get a random id: all copies of an image share its machine id.
 */
export async function chooseNodeId(host: Host, random: () => string = randomUUID): Promise<string> {
  const environment = await readEnvironment(host);
  if (environment === 'container' || environment === 'kubernetes') return random();
  const machineId = (await host.files.text('/etc/machine-id')) || (await host.files.text('/var/lib/dbus/machine-id'));
  return deriveNodeId(machineId) ?? random();
}
