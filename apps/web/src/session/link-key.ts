/** Returns the key of a read-only link from the fragment of an address, `#link=KEY`; undefined without one. */
export function linkKeyOf(hash: string): string | undefined {
  const key = new URLSearchParams(hash.slice(1)).get('link') ?? '';
  // Anything else cannot be sent in a header.
  return /^[\w.~-]+$/.test(key) ? key : undefined;
}
