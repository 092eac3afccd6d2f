import { describe, expect, it } from 'vitest';
import { dropsOf } from './system-drops.ts';

const TABLE = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  111: 0100007F:1414 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 9291 2 0000000000000000 1207
  222: 00000000:0044 00000000:1414 07 00000000:00000000 00:00000000 00000000     0        0 9292 2 0000000000000000 5
`;

describe('dropsOf', () => {
  it('finds the socket by its local port', () => {
    expect(dropsOf(TABLE, 5140)).toBe(1207);
    expect(dropsOf(TABLE, 68)).toBe(5);
  });

  it('returns 0 for a missing port and for a text that is no table', () => {
    expect(dropsOf(TABLE, 5141)).toBe(0);
    expect(dropsOf('', 5140)).toBe(0);
    expect(dropsOf('x 0:1414', 5140)).toBe(0);
  });
});
