// The page: who uses it, its frame, and the page of the address.
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { BASE_PATH, currentPlace, safePlace } from './api/base.ts';
import { ToastProvider } from './components/toasts.tsx';
import { LiveProvider } from './data/live.tsx';
import { useKeys } from './keys/use-keys.ts';
import { type PageRoute, ROUTES, UNKNOWN_ROUTE } from './routes.ts';
import { SessionProvider, useSession } from './session/session.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Navigation } from './shell/navigation.tsx';
import { usePlaces } from './shell/use-places.ts';
import { text } from './text/common.ts';

const SHARED_ROUTES = ROUTES.filter(({ isShared }) => isShared === true);

export const App = () => (
  <Router base={BASE_PATH}>
    <SessionProvider>
      <LiveProvider>
        <ToastProvider>
          <Frame />
        </ToastProvider>
      </LiveProvider>
    </SessionProvider>
  </Router>
);

const Starting = () => (
  <p className="starting" role="status">
    {text.starting}
  </p>
);

/** The frame, for each state of the sign-in. */
function Frame() {
  const { session } = useSession();
  const [location] = useLocation();
  usePlaces();
  if (session.status === 'loading') {
    return session.failure === undefined ? (
      <Starting />
    ) : (
      <p className="starting" role="alert">
        {session.failure.message} {text.failure.retrying}
      </p>
    );
  }
  if (session.status === 'out') {
    if (location === '/sign-in')
      return (
        <Main>
          <Pages />
        </Main>
      );
    const place = currentPlace();
    return <Redirect to={place === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(place)}`} replace />;
  }
  if (session.status === 'link') {
    const signIn = (
      <a href={`${BASE_PATH}/sign-in?to=${encodeURIComponent(location)}`} className="button">
        {text.link.signIn}
      </a>
    );
    return (
      <Main>
        <p className="banner" role={session.hasEnded ? 'alert' : 'status'}>
          {session.hasEnded ? text.link.ended : text.link.banner} {signIn}
        </p>
        {!session.hasEnded && <Pages isShared />}
      </Main>
    );
  }
  if (location === '/sign-in')
    return <Redirect to={safePlace(new URLSearchParams(window.location.search).get('to'))} replace />;
  if (session.me.must_set_up_second_factor && location !== '/account') return <Redirect to="/account" replace />;
  return (
    <div className="frame">
      <a className="skip" href={`${BASE_PATH}${location}#content`} onClick={focusContent}>
        {text.nav.skip}
      </a>
      <Navigation />
      <Main>
        <Pages />
      </Main>
      <Help />
    </div>
  );
}

const KeyHelp = lazy(async () => ({ default: (await import('./shell/key-help.tsx')).KeyHelp }));

/** The dialog of the keys, loaded when somebody asks for it. */
function Help() {
  const [isOpen, setOpen] = useState(false);
  useKeys({ help: () => setOpen(true) });
  return isOpen ? (
    <Suspense>
      <KeyHelp onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}

function focusContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

const Main = ({ children }: { readonly children: ReactNode }) => (
  <main id="content" tabIndex={-1}>
    {children}
  </main>
);

/** The page of the address. `isShared`: only those that a read-only link may open. */
function Pages({ isShared = false }: { readonly isShared?: boolean }) {
  const [location] = useLocation();
  const routes = isShared ? SHARED_ROUTES : ROUTES;
  return (
    <ErrorBoundary key={location}>
      <Switch>
        {routes.map((route) => (
          <Route key={route.path} path={route.path}>
            <LoadedPage route={route} />
          </Route>
        ))}
        <Route>
          {isShared ? <p className="problem">{text.link.elsewhere}</p> : <LoadedPage route={UNKNOWN_ROUTE} />}
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}

/** A page, once it is loaded. Suspense would hold it back for 300 ms after it has shown that it waits. */
function LoadedPage({ route }: { readonly route: PageRoute }) {
  const [failure, setFailure] = useState<unknown>(null);
  const [Page, setPage] = useState(() => route.loaded());
  useEffect(() => {
    route.load().then((loaded) => setPage(() => loaded), setFailure);
  }, [route]);
  if (failure !== null) throw failure;
  return Page === undefined ? <Starting /> : <Page />;
}
