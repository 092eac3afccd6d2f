import { Link } from 'wouter';
import { useTitle } from '../../components/use-title.ts';
import { text } from '../../text/common.ts';

/** Shown for an address without a page. */
export function NotFound() {
  useTitle(text.notFound.title);
  return (
    <section className="problem">
      <h1>{text.notFound.title}</h1>
      <p>{text.notFound.body}</p>
      <Link href="/" className="button">
        {text.notFound.home}
      </Link>
    </section>
  );
}
