// The packed form of vitals: the bytes of one host and hour. Layouts have the processors, mount points and sizes of
// disks. Each minute refers to the last layout before it, so that bytes of several servers may follow each other. A
// finished hour is compressed; minutes that come late follow behind it.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type AgentVitals, usedShare, VITALS_DISKS_KEPT, type VitalsSample } from '@quarterdeck/core';

/** First byte of a layout; smaller bytes are the minute of a sample. */
const LAYOUT = 0xff;
/** First byte of a finished hour: the number of its compressed bytes follows, and these. */
const FINISHED = 0xfe;
/** Most bytes of an hour before it is compressed. */
const INFLATED_MAX = 64 * 1024;
const MINUTES = 60;
/** Used share of a disk: decimal fractions of its size in three bytes. */
const SHARES = 10_000_000;
/** Bytes of a share, and the share of a disk that the minute has no value of. */
const SHARE_BYTES = 3;
/** Percentages are kept in tenths, loads in hundredths. */
const TENTHS = 10;
const HUNDREDTHS = 100;

/** A disk of a layout. */
interface Disk {
  readonly path: string;
  /** Bytes that are used or free. */
  readonly size: number;
}

/** Parts of vitals that rarely change. */
interface Layout {
  readonly cores: number;
  readonly disks: readonly Disk[];
}

const NO_LAYOUT: Layout = { cores: 0, disks: [] };

/** Writes numbers of seven bits a byte, the low ones first. */
function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** A number that may be absent: 0 is absent, others are one higher. */
function pushOptional(bytes: number[], value: number | undefined, scale = 1): void {
  pushNumber(bytes, value === undefined ? 0 : Math.round(value * scale) + 1);
}

/** The disks that are kept, by their paths. */
function keptDisks({ disk = {} }: AgentVitals) {
  const all = Object.entries(disk).map(([path, { used, free }]) => ({
    path,
    size: Math.min(used + free, Number.MAX_SAFE_INTEGER),
    share: usedShare({ used, free }),
  }));
  if (all.length > VITALS_DISKS_KEPT) all.sort((a, b) => b.share - a.share);
  return all.slice(0, VITALS_DISKS_KEPT).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Vitals of a minute, packed. */
export interface PackedVitals {
  /** Equal for vitals that share a layout. */
  readonly layoutKey: string;
  readonly layout: Uint8Array;
  readonly sample: Uint8Array;
}

/** Packs vitals; `minute` is that of the hour. */
export function packVitals(vitals: AgentVitals, minute: number): PackedVitals {
  const disks = keptDisks(vitals);
  const layout = [LAYOUT];
  pushNumber(layout, vitals.cores ?? 0);
  layout.push(disks.length);
  for (const { path, size } of disks) {
    const name = Buffer.from(path);
    pushNumber(layout, name.length);
    layout.push(...name);
    pushNumber(layout, size);
  }
  const sample = [minute];
  for (const percent of [vitals.cpu, vitals.memory, vitals.swap]) pushOptional(sample, percent, TENTHS);
  for (const at of [0, 1, 2]) pushOptional(sample, vitals.load?.[at], HUNDREDTHS);
  for (const count of [vitals.uptime, vitals.fds, vitals.tcp]) pushOptional(sample, count);
  for (const disk of disks) {
    const share = Math.round(disk.share * SHARES);
    sample.push(share & 0xff, (share >> 8) & 0xff, share >> 16);
  }
  const bytes = Uint8Array.from(layout);
  return { layoutKey: Buffer.from(bytes).toString('latin1'), layout: bytes, sample: Uint8Array.from(sample) };
}

/** Thrown inside for bytes that end early or are damaged. */
class CutShort extends Error {}

/** Reads what {@link packVitals} wrote. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new CutShort();
    return value;
  }

  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte();
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }

  optional(scale = 1): number | null {
    const value = this.number();
    return value === 0 ? null : (value - 1) / scale;
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new CutShort();
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, length);
    this.#at += length;
    return bytes;
  }

  text(length: number): string {
    return this.bytes(length).toString();
  }
}

function readLayout(reader: Reader): Layout {
  const cores = reader.number();
  const count = reader.byte();
  const disks: Disk[] = [];
  for (let i = 0; i < count; i += 1) {
    const path = reader.text(reader.number());
    disks.push({ path, size: reader.number() });
  }
  return { cores, disks };
}

function readSample(reader: Reader, time: number, { cores, disks }: Layout): VitalsSample {
  const [cpu, memory, swap] = [reader.optional(TENTHS), reader.optional(TENTHS), reader.optional(TENTHS)];
  const loads = [reader.optional(HUNDREDTHS), reader.optional(HUNDREDTHS), reader.optional(HUNDREDTHS)] as const;
  const [uptime, fds, tcp] = [reader.optional(), reader.optional(), reader.optional()];
  const disk = disks.map(({ path, size }): [string, { used: number; free: number }] => {
    let share = 0;
    for (let i = 0; i < SHARE_BYTES; i += 1) share += reader.byte() * 256 ** i;
    const used = Math.round((size * share) / SHARES);
    return [path, { used, free: size - used }];
  });
  const [one, five, fifteen] = loads;
  const load: VitalsSample['load'] = one === null || five === null || fifteen === null ? null : [one, five, fifteen];
  const shown = { cpu, memory, swap, disk: Object.fromEntries(disk), load };
  return { time, ...shown, cores: cores === 0 ? null : cores, uptime, fds, tcp };
}

/** Compresses the bytes of a finished hour; undefined where that has been done, or saves nothing. */
export function packHour(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] === FINISHED) return undefined;
  const deflated = deflateRawSync(bytes);
  const head = [FINISHED];
  pushNumber(head, deflated.length);
  const packed = Buffer.concat([Uint8Array.from(head), deflated]);
  return packed.length < bytes.length ? packed : undefined;
}

function inflated(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: INFLATED_MAX });
  } catch {
    throw new CutShort();
  }
}

/** Reads samples by their minutes up to the end of some bytes, and returns the last layout. */
function readSamples(reader: Reader, hour: number, before: Layout, samples: Map<number, VitalsSample>): Layout {
  let layout = before;
  while (!reader.isAtEnd) {
    const first = reader.byte();
    if (first === LAYOUT) layout = readLayout(reader);
    else if (first < MINUTES) samples.set(first, readSample(reader, (hour * MINUTES + first) * 60, layout));
    else if (first === FINISHED) {
      const inner = new Reader(inflated(reader.bytes(reader.number())));
      layout = readSamples(inner, hour, layout, samples);
    } else throw new CutShort();
  }
  return layout;
}

/**
 * Unpacks the vitals of an hour, by time. Of a minute that two servers have stored, the last one counts. Bytes that are
 * damaged end the hour.
 *
 * @param hour number of the hour since 1970
 */
export function unpackVitals(hour: number, bytes: Uint8Array): VitalsSample[] {
  const samples = new Map<number, VitalsSample>();
  try {
    readSamples(new Reader(bytes), hour, NO_LAYOUT, samples);
  } catch (error) {
    if (!(error instanceof CutShort)) throw error;
  }
  return [...samples.values()].sort((a, b) => a.time - b.time);
}
