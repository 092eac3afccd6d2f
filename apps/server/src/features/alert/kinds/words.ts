// Numbers as people read them at night, in the titles of alerts.

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** A duration in its two largest units, such as `3 min 20 s`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000));
  const first = UNITS.findIndex(({ seconds }) => rest >= seconds);
  if (first < 0) return '0 s';
  const parts: string[] = [];
  for (const { name, seconds } of UNITS.slice(first, first + 2)) {
    const n = Math.floor(rest / seconds);
    rest -= n * seconds;
    if (n > 0) parts.push(`${n} ${name}`);
  }
  return parts.join(' ');
}

/** A time in UTC, such as `2026-01-31 09:05 UTC`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const MIB = 1024 * 1024;

/** A size in MiB or GiB. */
export const bytesText = (bytes: number): string =>
  bytes < 1024 * MIB ? `${Math.floor(bytes / MIB)} MiB` : `${(bytes / MIB / 1024).toFixed(1)} GiB`;

/** A number of things, such as `1 line` or `1,234 lines`. */
export const countText = (n: number, thing: string): string =>
  `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;
