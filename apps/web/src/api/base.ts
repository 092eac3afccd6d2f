// Address of the page.

// The modules of the build are in a folder directly below the root of the page.
const { url } = import.meta;
const HOME = import.meta.env.DEV ? new URL('/', url) : new URL('..', url);

/** Path prefix without a slash at its end; '' without a prefix. */
export const BASE_PATH = HOME.pathname.replace(/\/$/, '');

/** Address of the server's API. */
export const SERVER_URL = `${HOME.origin}${BASE_PATH}`;

/** The path of the page below the prefix, with its query and fragment: what a sign-in returns to. */
export const currentPlace = (): string =>
  `${location.pathname.slice(BASE_PATH.length) || '/'}${location.search}${location.hash}`;

/** Returns a place of this page, or `/` for text that leads anywhere else. */
export function safePlace(text: string | null): string {
  if (text === null || !/^\/(?![/\\])/.test(text)) return '/';
  return URL.canParse(text, location.origin) && new URL(text, location.origin).origin === location.origin ? text : '/';
}
