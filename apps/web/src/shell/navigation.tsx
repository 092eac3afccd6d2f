// The bar of the pages: at the bottom of a phone, at the side of a wide window.
import type { Access } from '@quarterdeck/core/plain';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe, useSession } from '../session/session.tsx';
import { text } from '../text/common.ts';
import { Icon, type IconName } from './icons.tsx';

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

/** The bar. */
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
