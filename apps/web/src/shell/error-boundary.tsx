import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { text } from '../text/common.ts';

interface Props {
  readonly children: ReactNode;
}

/** Shows a failure of the page in place of it; the rest of the shell still works. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // A browser rejects the import of a chunk with a TypeError; a server of another version no longer has the chunk.
    const isMissing = /import|module|preload/i.test(error.message);
    return (
      <section className="problem" role="alert">
        <h1>{text.failure.title}</h1>
        <p>{isMissing ? text.failure.newVersion : `${text.failure.crash} (${error.name})`}</p>
        <Button onClick={() => location.reload()}>{text.failure.reload}</Button>
      </section>
    );
  }
}
