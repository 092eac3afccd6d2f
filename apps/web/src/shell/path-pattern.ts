// Patterns of paths, in place of the library of the router, which knows many forms that no page here has.

/** A pattern such as `/a/:id` as an expression, and the names of its parts; the form that the router expects. */
export function parse(pattern: string): { readonly pattern: RegExp; readonly keys: string[] } {
  const keys: string[] = [];
  const source = pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    keys.push(name);
    return '([^/]+?)';
  });
  return { pattern: new RegExp(`^${source}/?$`, 'i'), keys };
}
