// Which passwords may be chosen (NIST SP 800-63B 3.1.1.2): length counts, composition does not, and what is tried first
// by those who guess is refused.
import { AppError, PASSWORD_LENGTH } from '@quarterdeck/core';

const PRODUCT = 'quarterdeck';
/** Names shorter than this say little about a password that contains them. */
const NAME_MIN = 3;
/** A run is at least this much of a password when the password is refused for it. */
const RUN_SHARE = 0.75;
/** What guessers walk along, forwards or backwards. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
];
const STEPS = new Set(
  ROWS.flatMap((row) =>
    [...row].slice(1).flatMap((character, i) => [`${row[i]}${character}`, `${character}${row[i]}`]),
  ),
);

/** Whose password it is to be. */
export interface PasswordOwner {
  readonly username: string;
  readonly secondFactor: boolean;
}

/**
 * Refuses a password that nobody should choose.
 *
 * @throws AppError `validation_failed`, naming `body.password`
 */
export async function checkPassword(password: string, owner: PasswordOwner): Promise<void> {
  const message = await findPasswordFault(password, owner);
  if (message === undefined) return;
  throw new AppError('validation_failed', {
    message: `body.password: ${message}`,
    fields: [{ path: 'body.password', message }],
  });
}

/** What is wrong with a password, for a person; undefined where it may be chosen. */
export async function findPasswordFault(password: string, owner: PasswordOwner): Promise<string | undefined> {
  const characters = [...password.normalize('NFC')];
  const { min, minWithSecondFactor, max } = PASSWORD_LENGTH;
  const least = owner.secondFactor ? minWithSecondFactor : min;
  if (characters.length < least || characters.length > max) return `must be ${least} to ${max} characters long`;

  const plain = characters.join('').toLowerCase();
  if (isMostly(plain, owner.username.toLowerCase())) return 'must not be made of the username';
  if (isMostly(plain, PRODUCT)) return `must not be made of the word ${PRODUCT}`;
  if (isRun(plain)) return 'must not be a run of equal or neighbouring characters';
  const common = await commonPasswords();
  if (isRepetition(plain, common)) return 'must not be the same few characters again and again';
  if (isCommon(plain, common)) return 'is one of the passwords that are guessed first';
  return undefined;
}

/** Whether at least half of the text is this word, once or several times. */
function isMostly(plain: string, word: string): boolean {
  if (word.length < NAME_MIN) return false;
  return plain.replaceAll(word, '').length * 2 <= plain.length;
}

/** `aaaaaaaaaaaaaaaa`, `1234567890123456`, `qwertyuiopasdfgh`. */
function isRun(plain: string): boolean {
  const characters = [...plain];
  const steps = characters.filter((character, i) => {
    const before = characters[i - 1];
    return before !== undefined && (before === character || STEPS.has(`${before}${character}`));
  });
  return steps.length >= (characters.length - 1) * RUN_SHARE;
}

/** `abc1abc1abc1abc1`, `passwordpassword`: a few characters, or a common password, several times over. */
function isRepetition(plain: string, common: ReadonlySet<string>): boolean {
  // A text that is a repetition of its first n characters is found in itself, n characters later.
  const period = (plain + plain).indexOf(plain, 1);
  return period < plain.length && (period <= 5 || common.has(plain.slice(0, period)));
}

/** A common password as it is, or with digits and signs around that are less than half of the whole. */
function isCommon(plain: string, common: ReadonlySet<string>): boolean {
  if (common.has(plain)) return true;
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core.length * 2 > plain.length && common.has(core);
}

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * 49,000 passwords from published leaks, in lower case (MIT). They are loaded when a password is first chosen, not with
 * the server.
 */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return loading;
}
