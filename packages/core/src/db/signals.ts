/** Listeners for commits. A listener that throws disturbs neither the others nor the write. */
export class Signals {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    // Adding the same listener twice makes two entries.
    const entry = () => listener();
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  emit(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // A listener handles its own errors.
      }
    }
  }
}
