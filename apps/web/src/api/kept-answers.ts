// The last answers of reads, so that the way back shows a page at once, as it was left. They end with the session.

const KEPT = 20;

/** An answer and its time, Unix milliseconds. */
export interface KeptAnswer {
  readonly data: unknown;
  readonly atMs: number;
}

const answers = new Map<string, KeptAnswer>();

/** Returns the last answer of a read. */
export const keptAnswer = (key: string | undefined): KeptAnswer | undefined =>
  key === undefined ? undefined : answers.get(key);

export function keepAnswer(key: string, answer: KeptAnswer): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
}

export const dropAnswers = (): void => answers.clear();
