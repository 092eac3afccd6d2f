// Zones of times that name none.

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A zone. `clockMs` is a time in it as if it were UTC, in milliseconds. */
export interface TimeZone {
  /** Milliseconds by which the zone is ahead of UTC at this time. */
  offsetMs(clockMs: number): number;
}

/** Most lines share their hour, and zones change their offset between two hours. */
function withLastHour(find: (clockMs: number) => number): TimeZone {
  let hour = Number.NaN;
  let offset = 0;
  return {
    offsetMs(clockMs) {
      const of = Math.floor(clockMs / HOUR_MS);
      if (of !== hour) {
        offset = find(of * HOUR_MS);
        hour = of;
      }
      return offset;
    },
  };
}

/** The zone of this host. */
export const LOCAL_ZONE: TimeZone = withLastHour((clockMs) => {
  const at = new Date(clockMs);
  const local = new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours());
  return -local.getTimezoneOffset() * MINUTE_MS;
});

export const UTC_ZONE: TimeZone = { offsetMs: () => 0 };

const OFFSET = /GMT([+-])(\d\d):(\d\d)/;

/** Names come from lines too, so the number of known ones is bounded. */
const MAX_KNOWN = 100;
const known = new Map<string, TimeZone | undefined>();

/** The zone of a name of the IANA database, such as `Europe/Berlin`; undefined for any other name. */
export function timeZoneOf(name: string): TimeZone | undefined {
  if (known.has(name)) return known.get(name);
  if (known.size >= MAX_KNOWN) known.clear();
  const zone = createZone(name);
  known.set(name, zone);
  return zone;
}

function createZone(timeZone: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  const offsetAt = (ms: number): number => {
    const [, sign, hours, minutes] = OFFSET.exec(format.format(ms)) ?? [];
    const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
    return sign === '-' ? -size : size;
  };
  return withLastHour((clockMs) => offsetAt(clockMs - offsetAt(clockMs)));
}
