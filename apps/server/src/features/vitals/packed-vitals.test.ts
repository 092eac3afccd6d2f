import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packHour, packVitals, unpackVitals } from './packed-vitals.ts';

const GIB = 1024 ** 3;
const HOUR = 490_000;

/** An hour of a busy host with four disks, as its server stores it. */
function hourOf(disks: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    const disk = Object.fromEntries(
      Array.from({ length: disks }, (_, i) => [`/srv/volume-${i}`, { used: (300 + minute) * GIB, free: 600 * GIB }]),
    );
    const { layout, sample } = packVitals(
      {
        ...{ cpu: 87.3, memory: 64.2, swap: 12.9, load: [12.31, 9.4, 7.77], cores: 16 },
        ...{ uptime: 9_000_000 + minute * 60, fds: 21_000, tcp: 4_000, disk },
      },
      minute,
    );
    parts.push(minute === 0 ? Buffer.concat([layout, sample]) : sample);
  }
  return Buffer.concat(parts);
}

it('keeps a minute of a busy host with four disks in at most 40 bytes', () => {
  // The columns of the row and its place in two indexes are about 100 bytes.
  expect((hourOf(4).length + 100) / 60).toBeLessThanOrEqual(40);
  expect(unpackVitals(HOUR, hourOf(4))).toHaveLength(60);
});

it('returns what an agent has reported, and null for the rest', () => {
  const disk = { '/': { used: 90_000_000_000, free: 10_000_000_000 }, '/größe': { used: 0, free: 0 } };
  const full = { cpu: 0, memory: 100, swap: 33.3, load: [0, 0.07, 120.5], cores: 4, uptime: 1, fds: 0, tcp: 2, disk };
  const first = packVitals(full, 0);
  const second = packVitals({ cpu: 42.1 }, 59);
  const bytes = Buffer.concat([first.layout, first.sample, second.layout, second.sample]);
  expect(unpackVitals(HOUR, bytes)).toEqual([
    { time: HOUR * 3600, ...full },
    {
      ...{ time: HOUR * 3600 + 59 * 60, cpu: 42.1, memory: null, swap: null, load: null, disk: {} },
      ...{ cores: null, uptime: null, fds: null, tcp: null },
    },
  ]);
});

it('reads a compressed hour, and the minutes that came late', () => {
  const bytes = hourOf(4);
  const packed = Buffer.from(packHour(bytes) ?? []);
  expect(packed.length).toBeLessThan(bytes.length);
  expect(packHour(packed)).toBeUndefined();
  expect(unpackVitals(HOUR, packed)).toEqual(unpackVitals(HOUR, bytes));
  // The late minute has no layout of its own.
  const disks = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`/srv/volume-${i}`, { used: 1, free: 1 }]));
  const late = packVitals({ cpu: 5, disk: disks }, 59).sample;
  const read = unpackVitals(HOUR, Buffer.concat([packed, late]));
  expect(read).toHaveLength(60);
  expect(read.at(-1)).toMatchObject({ cpu: 5, cores: 16 });
  for (const cut of [2, 10, packed.length - 1]) expect(unpackVitals(HOUR, packed.subarray(0, cut))).toEqual([]);
});

it('reads the minutes before damage, and never fails', () => {
  const bytes = hourOf(2);
  for (const length of [1, 5, 40, bytes.length - 3]) {
    const read = unpackVitals(HOUR, bytes.subarray(0, length));
    expect(read).toEqual(unpackVitals(HOUR, bytes).slice(0, read.length));
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (any) => Array.isArray(unpackVitals(HOUR, any))));
});

it('keeps the fullest disks of a host with many', () => {
  const disk = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`/d${i}`, { used: i, free: 100 - i }]));
  const { layout, sample } = packVitals({ disk }, 0);
  const [read] = unpackVitals(HOUR, Buffer.concat([layout, sample]));
  expect(Object.keys(read?.disk ?? {})).toEqual(['/d26', '/d27', '/d28', '/d29', '/d30', '/d31']);
});
