// Knows what was acknowledged and to whom, and names the first broken promise with its step.
import type { BatchNumbers, ErrlogReceipt } from '../../packages/core/src/index.ts';
import type { SentBatch } from './server.ts';

/** A line of a sender: its name and number, as its text has them. */
const LINE = /\b([a-z]+) #(\d+)/;

/** See the head of this file. */
export class Checker {
  /** The first broken promise. */
  broken: string | undefined;
  /** Events of the run, for the comparison with another one. */
  readonly events: string[] = [];
  readonly #where: () => string;
  /** Acknowledged lines by sender. */
  readonly #acknowledged = new Map<string, Set<number>>();
  readonly #receipts = new Map<string, string>();
  readonly #refused = new Map<string, number>();
  readonly #losses = new Map<string, number>();

  constructor(where: () => string) {
    this.#where = where;
  }

  fail(promise: string): void {
    this.broken ??= `${this.#where()}: ${promise}`;
  }

  note(event: string): void {
    this.events.push(`${this.#where()}: ${event}`);
  }

  /** Lines of a sender that could not be read. */
  refusedOf = (sender: string): number => this.#refused.get(sender) ?? 0;

  /** Files of an agent that were deleted before it had read them, as the server has confirmed. */
  lossesOf = (agent: string): number => this.#losses.get(agent) ?? 0;

  /** Notes that a sender got an answer to a batch. */
  acknowledge(sender: string, { key, body, numbers: header }: SentBatch, receipt: ErrlogReceipt): void {
    const texts = body.toString().split('\n').filter(Boolean);
    const { accepted, refused } = receipt;
    if (accepted + refused.length !== texts.length) {
      this.fail(`an answer counts every line of its batch: ${accepted} + ${refused.length} of ${texts.length}`);
    }
    const answer = JSON.stringify(receipt);
    const earlier = this.#receipts.get(key);
    if (earlier !== undefined && earlier !== answer) this.fail('a batch that is sent again gets the same answer');
    if (earlier === undefined) this.#refused.set(sender, this.refusedOf(sender) + refused.length);
    this.#receipts.set(key, answer);
    if (header !== undefined) {
      const { dropped }: BatchNumbers = JSON.parse(header);
      this.#losses.set(sender, Math.max(this.lossesOf(sender), dropped.rotation));
    }
    const refusedAt = new Set(refused.map(({ index }) => index));
    const numbers = this.#acknowledged.get(sender) ?? new Set();
    this.#acknowledged.set(sender, numbers);
    for (const [at, text] of texts.entries()) if (!refusedAt.has(at)) numbers.add(numberOf(text).number);
  }

  /** Compares stored lines, in the order of arrival, with what was acknowledged. Returns the number of each sender. */
  checkStored(lines: readonly string[], inOrder: ReadonlySet<string>): ReadonlyMap<string, number> {
    const stored = new Map<string, Set<number>>();
    const last = new Map<string, number>();
    for (const line of lines) {
      const { sender, number } = numberOf(line);
      const numbers = stored.get(sender) ?? new Set();
      stored.set(sender, numbers);
      if (numbers.has(number)) this.fail(`a line is stored once: ${sender} #${number}`);
      const before = last.get(sender) ?? -1;
      if (inOrder.has(sender) && number < before) {
        this.fail(`lines of an agent are stored in their order: ${sender} #${number} behind #${before}`);
      }
      numbers.add(number);
      last.set(sender, number);
    }
    for (const [sender, numbers] of this.#acknowledged) {
      const lost = [...numbers].find((number) => stored.get(sender)?.has(number) !== true);
      if (lost !== undefined) this.fail(`an acknowledged line is stored: ${sender} #${lost}`);
    }
    return new Map(Array.from(stored, ([sender, { size }]) => [sender, size]));
  }
}

function numberOf(text: string): { sender: string; number: number } {
  const [, sender = '', number = ''] = LINE.exec(text) ?? [];
  return { sender, number: Number(number) };
}
