// Moves between places: a new one begins at its top, an old one is where it was left. The keyboard goes back too.
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { currentPlace } from '../api/base.ts';
import { useKeys } from '../keys/use-keys.ts';

/** Places whose scroll position is kept. */
const KEPT = 50;
const positions = new Map<string, number>();

function keepPosition(place: string): void {
  positions.delete(place);
  positions.set(place, window.scrollY);
  const [oldest] = positions.keys();
  if (positions.size > KEPT && oldest !== undefined) positions.delete(oldest);
}

/** The list that a page belongs to. */
const parentOf = (path: string): string => (path.startsWith('/a/') ? '/' : path.replace(/\/[^/]*$/, '') || '/');

/** Keeps scroll positions, moves the focus to a new page, and binds Escape to the way back. */
export function usePlaces(): void {
  const [path, navigate] = useLocation();
  const moves = useRef(0);
  const isBack = useRef(false);

  useEffect(() => {
    history.scrollRestoration = 'manual';
    let place = currentPlace();
    const onScroll = (): void => keepPosition(place);
    const onPop = (): void => {
      isBack.current = true;
      place = currentPlace();
    };
    const onPush = (): void => {
      place = currentPlace();
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('popstate', onPop);
    // Events of wouter.
    window.addEventListener('pushState', onPush);
    window.addEventListener('replaceState', onPush);
    return () => {
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('popstate', onPop);
      window.removeEventListener('pushState', onPush);
      window.removeEventListener('replaceState', onPush);
    };
  }, []);

  // A change of the path is a move to another page.
  useLayoutEffect(() => {
    if (path === '') return;
    moves.current += 1;
    if (moves.current === 1) return;
    window.scrollTo(0, isBack.current ? (positions.get(currentPlace()) ?? 0) : 0);
    isBack.current = false;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);

  useKeys({
    back() {
      if (parentOf(path) === path) return false;
      if (moves.current > 1) history.back();
      else navigate(parentOf(path));
      return true;
    },
  });
}
