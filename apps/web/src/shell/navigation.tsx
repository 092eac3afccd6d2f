// The bar of the pages: at the bottom of a phone, at the side of a wide window.
import type { Access } from '@quarterdeck/core/plain';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe, useSession } from '../session/session.tsx';
import { text } from '../text/common.ts';

const PATHS = {
  overview: 'M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5h-4.5zM9 8h4.5v5.5h-4.5zM2.5 10.5h4.5v3h-4.5z',
  errors: 'M8 2.2 14.2 13.2H1.8zM8 6.4v3.2M8 11.3v.4',
  lines: 'M2.5 4h11M2.5 8h8M2.5 12h10',
  hosts: 'M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.8h.2M5 11.2h.2',
  changes: 'M8 1.8v3.6M8 10.6v3.6M8 5.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2',
  tokens: 'M10.2 2.4a3.4 3.4 0 1 1-2.6 5.6L2.6 13v.6h2.2v-1.6h1.6v-1.6l1.4-1.4',
  account: 'M8 2.4a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M2.6 13.8c.6-2.6 2.6-3.8 5.4-3.8s4.8 1.2 5.4 3.8',
  more: 'M3.2 8h.2M8 8h.2M12.8 8h.2',
} as const;

/** Icons of the navigation: strokes on a grid of 16. */
type IconName = keyof typeof PATHS;

/** An icon beside a text that says the same. */
const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

interface Item {
  readonly path: string;
  readonly name: IconName & keyof typeof text.nav;
  readonly access?: Access;
}

/** Pages of the bar on a phone; more do not fit beside a thumb. */
const MAIN: readonly Item[] = [
  { path: '/', name: 'overview' },
  { path: '/e', name: 'errors', access: 'errlog:read' },
  { path: '/lines', name: 'lines', access: 'errlog:read' },
  { path: '/h', name: 'hosts', access: 'agent:read' },
];

const OTHERS: readonly Item[] = [
  { path: '/changes', name: 'changes', access: 'agent:read' },
  { path: '/tokens', name: 'tokens', access: 'api_token:read' },
  { path: '/account', name: 'account', access: 'session' },
];

/** Pages that belong to another one. */
const isAt = (path: string, location: string): boolean =>
  path === '/' ? location === '/' || location.startsWith('/a/') : location === path || location.startsWith(`${path}/`);

export function Navigation() {
  const { can, signOut } = useSession();
  const me = useMe();
  const [location] = useLocation();
  const more = useRef<HTMLDivElement>(null);
  // A change of the page closes the list of the pages.
  useEffect(() => more.current?.hidePopover(), [location]);
  const item = ({ path, name, access }: Item) =>
    access !== undefined && !can(access) ? null : (
      <li key={path}>
        <Link href={path} className="nav-link" aria-current={isAt(path, location) ? 'page' : undefined}>
          <Icon name={name} />
          {text.nav[name]}
        </Link>
      </li>
    );
  return (
    <nav className="navigation" aria-label={text.nav.label}>
      <p className="brand">{text.product}</p>
      <ul>
        {MAIN.map(item)}
        <li className="nav-more">
          <button
            type="button"
            className="nav-link"
            popoverTarget="more-pages"
            aria-current={OTHERS.some(({ path }) => isAt(path, location)) ? 'page' : undefined}
          >
            <Icon name="more" />
            {text.nav.more}
          </button>
        </li>
      </ul>
      <div ref={more} id="more-pages" popover="auto" className="more-pages">
        <ul>
          {OTHERS.map(item)}
          <li>
            <button type="button" className="nav-link" onClick={() => void signOut()}>
              {text.nav.signOut}
              <span className="muted">{me?.username}</span>
            </button>
          </li>
        </ul>
      </div>
    </nav>
  );
}
