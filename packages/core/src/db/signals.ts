/** Who wants to know that something was committed. Listeners cannot break each other, or the write that woke them. */
export class Signals {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    // A function of its own, so that adding the same listener twice is two listeners.
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
        // What a listener does is not the database's to judge.
      }
    }
  }
}
