// Patterns of paths, in place of the library of the router, which knows many forms that no page here has.

/**
 * A pattern such as `/a/:id`, or `*` for any path, as an expression with the names of its parts: the form that the
 * router expects. A loose one matches paths below it too.
 */
export function parse(pattern: string, isLoose = false): { readonly pattern: RegExp; readonly keys: string[] } {
  const keys: string[] = [];
  const source = pattern.replaceAll(/:(\w+)|\*/g, (_, name: string | undefined) => {
    keys.push(name ?? '*');
    return name === undefined ? '(.*)' : '([^/]+?)';
  });
  return { pattern: new RegExp(`^${source}${isLoose ? '(?=$|/)' : '/?$'}`, 'i'), keys };
}
