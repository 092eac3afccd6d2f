// The pages: their paths, and the modules that are loaded when they are opened. build/sizes.ts has the same list.
import type { ComponentType } from 'react';

/** A page, loaded when it is opened. */
export interface PageRoute {
  /** Pattern of its path. */
  readonly path: string;
  /** Loads the page; once for all callers. */
  readonly load: () => Promise<ComponentType>;
  /** The page, once it is loaded. */
  readonly loaded: () => ComponentType | undefined;
  /** True for a page that a read-only link may open. */
  readonly isShared?: true;
}

function page(path: string, load: () => Promise<{ Page: ComponentType }>, isShared?: true): PageRoute {
  let pending: Promise<ComponentType> | undefined;
  let loaded: ComponentType | undefined;
  return {
    path,
    load() {
      pending ??= load().then(({ Page }) => {
        loaded = Page;
        return Page;
      });
      return pending;
    },
    loaded: () => loaded,
    ...(isShared && { isShared }),
  };
}

export const ROUTES: readonly PageRoute[] = [
  page('/', () => import('./pages/overview/overview-page.tsx')),
  page('/sign-in', () => import('./pages/sign-in/sign-in-page.tsx')),
  page('/a/:id', () => import('./pages/alert/alert-page.tsx'), true),
  page('/e', () => import('./pages/errors/errors-page.tsx')),
  page('/e/:id', () => import('./pages/error/error-page.tsx'), true),
  page('/lines', () => import('./pages/lines/lines-page.tsx')),
  page('/h', () => import('./pages/hosts/hosts-page.tsx')),
  page('/h/:id', () => import('./pages/host/host-page.tsx')),
  page('/changes', () => import('./pages/changes/changes-page.tsx')),
  page('/tokens', () => import('./pages/tokens/tokens-page.tsx')),
  page('/device', () => import('./pages/device/device-page.tsx')),
  page('/account', () => import('./pages/account/account-page.tsx')),
];

/** The page for an address without one. */
export const UNKNOWN_ROUTE = page('*', () => import('./pages/not-found/not-found-page.tsx'));

/** Begins to load the page of a path, before anything is known about the user. */
export function preload(path: string): void {
  const parts = path.split('/');
  const route = ROUTES.find(({ path: pattern }) => {
    const names = pattern.split('/');
    return names.length === parts.length && names.every((name, at) => name.startsWith(':') || name === parts[at]);
  });
  // A failure is shown where the page is.
  route?.load().catch(() => undefined);
}
