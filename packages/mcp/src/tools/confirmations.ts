// Confirmations of dry runs: texts that only this process can make, each for one change of one caller, once.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ToolError } from './answer.ts';

/** Time for which a confirmation is valid. */
const VALID_FOR_MS = 5 * 60_000;
const FORM = /^(\d{1,15})\.(\d{1,15})\.([\w-]{16})\.([\w-]{43})$/;

const AGAIN = 'Nothing was changed. Make the dry run again, without a confirmation.';

/** A change: what it does, to what, and who asks for it. */
export interface Change {
  readonly caller: string;
  readonly action: string;
  /** Everything that decides what is changed, as JSON values. */
  readonly target: unknown;
}

/** Makes and redeems confirmations. */
export interface Confirmations {
  /** Makes the confirmation of a dry run, which remembers how many matched. */
  create(change: Change, matched: number): string;
  /**
   * Accepts a confirmation once, and returns how many matched in its dry run.
   *
   * @throws ToolError for one that is not valid for this change
   */
  redeem(confirmation: string, change: Change): number;
}

/** Creates {@link Confirmations}. `now` is in milliseconds. */
export function createConfirmations(now: () => number = Date.now): Confirmations {
  const key = randomBytes(32);
  /** Redeemed confirmations -> their expiry, in the order of their use. */
  const used = new Map<string, number>();

  const sign = ({ caller, action, target }: Change, head: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([head, caller, action, target]))
      .digest('base64url');

  return {
    create(change, matched) {
      const head = `${now() + VALID_FOR_MS}.${matched}.${randomBytes(12).toString('base64url')}`;
      return `${head}.${sign(change, head)}`;
    },
    redeem(confirmation, change) {
      const [, expiry = '', matched = '', nonce = '', signature = ''] = FORM.exec(confirmation) ?? [];
      const expected = sign(change, `${expiry}.${matched}.${nonce}`);
      // Compared as text: several texts decode to the same bytes.
      if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) {
        throw new ToolError(`This confirmation is not of a dry run with these arguments. ${AGAIN}`);
      }
      if (Number(expiry) <= now()) throw new ToolError(`This confirmation has expired. ${AGAIN}`);
      if (used.has(nonce)) throw new ToolError(`This confirmation was used already. ${AGAIN}`);
      for (const [old, expiryMs] of used) if (expiryMs <= now()) used.delete(old);
      used.set(nonce, Number(expiry));
      return Number(matched);
    },
  };
}
