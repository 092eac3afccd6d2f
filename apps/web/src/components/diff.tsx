// Changed lines: added and removed ones have a sign as well as a colour.
import './diff.css';

const TONES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' };

/** The changed lines of a file. */
export const Diff = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure className="diff full">
    <figcaption className="muted">{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what is wider than the page */}
    <pre tabIndex={0}>
      {text.split('\n').map((line, index) => (
        <span key={index} className={`diff-line diff-${TONES[line.charAt(0)] ?? 'same'}`}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  </figure>
);
