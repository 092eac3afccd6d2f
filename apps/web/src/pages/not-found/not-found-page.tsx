import { Link } from 'wouter';
import { useTitle } from '../../components/use-title.ts';
import { notFoundText } from '../../text/not-found.ts';

/** Shown for an address without a page. */
export function Page() {
  useTitle(notFoundText.title);
  return (
    <section className="problem">
      <h1>{notFoundText.title}</h1>
      <p>{notFoundText.body}</p>
      <Link href="/" className="button">
        {notFoundText.home}
      </Link>
    </section>
  );
}
