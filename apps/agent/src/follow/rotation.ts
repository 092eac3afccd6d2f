// Derives the original name of a rotated file from its current name.

const WHEN = String.raw`\d[\d.\-_:TZ]*`;
/** `error.log.1`, `error.log-20261121`, `error.log.old`. */
const APPENDED = new RegExp(String.raw`^(.+?)[.\-_](?:${WHEN}|old|bak|prev|last|orig|save)$`, 'i');
/** `error-20261121.log`, `error.1.log`: the form of logrotate's `extension` and of many programs. */
const INSERTED = new RegExp(String.raw`^(.+?)[.\-_]${WHEN}(\.[a-z]+)$`, 'i');
const COMPRESSED = /\.(?:gz|bz2|xz|zst|lz4|lzma|zip|Z)$/;

/** Original names a file may have had: `error.log` for `error.log.1`; none for an ordinary name. */
export function namesBefore(name: string): string[] {
  const appended = APPENDED.exec(name);
  const inserted = INSERTED.exec(name);
  return [
    ...(appended?.[1] === undefined ? [] : [appended[1]]),
    ...(inserted?.[1] === undefined ? [] : [`${inserted[1]}${inserted[2]}`]),
  ];
}

/** Reports whether the name is that of a compressed file, which is not followed. */
export const isCompressed = (name: string): boolean => COMPRESSED.test(name);
