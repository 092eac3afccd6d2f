import { describe, expect, it } from 'vitest';
import { chooseNodeId, deriveNodeId } from '../src/facts/node-id.ts';
import { hostOf } from './host-tree.ts';
import { debian, docker, kubernetes, ubuntuVm } from './hosts.ts';

const MACHINE_ID = 'd41d8cd98f00b204e9800998ecf8427e';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const random = () => 'random';

describe('deriveNodeId', () => {
  it('differs between machines and stays the same on one', () => {
    const id = deriveNodeId(MACHINE_ID);
    expect(id).toMatch(UUID);
    expect(deriveNodeId(`${MACHINE_ID}\n`)).toBe(id);
    expect(deriveNodeId(MACHINE_ID.replace('d', 'e'))).not.toBe(id);
  });

  it('does not change between releases', () => {
    expect(deriveNodeId(MACHINE_ID)).toBe('c86620a7-f8b1-802a-8701-4cb7ed1d3a19');
  });

  it('does not show the machine id', () => {
    expect(deriveNodeId(MACHINE_ID)?.replaceAll('-', '')).not.toContain(MACHINE_ID.slice(0, 6));
  });

  it.each(['', 'uninitialized', '0'.repeat(32), MACHINE_ID.toUpperCase(), MACHINE_ID.slice(1), '\0'.repeat(32)])(
    'refuses %j',
    (text) => {
      expect(deriveNodeId(text)).toBeUndefined();
    },
  );
});

describe('chooseNodeId', () => {
  it('derives it from the machine id on hosts and virtual machines', async () => {
    expect(await chooseNodeId(await hostOf(debian), random)).toBe(deriveNodeId(MACHINE_ID));
    expect(await chooseNodeId(await hostOf(ubuntuVm), random)).toBe(deriveNodeId(MACHINE_ID));
  });

  it('falls back to the older path of the machine id', async () => {
    const host = await hostOf({ files: { '/var/lib/dbus/machine-id': `${MACHINE_ID}\n` } });
    expect(await chooseNodeId(host, random)).toBe(deriveNodeId(MACHINE_ID));
  });

  it('is random in containers, whose machine id is that of the image', async () => {
    expect(await chooseNodeId(await hostOf(docker), random)).toBe('random');
    expect(await chooseNodeId(await hostOf(kubernetes), random)).toBe('random');
  });

  it('is random without a machine id', async () => {
    expect(await chooseNodeId(await hostOf({}), random)).toBe('random');
    const first = await hostOf({ files: { '/etc/machine-id': 'uninitialized\n' } });
    expect(await chooseNodeId(first, random)).toBe('random');
  });
});
