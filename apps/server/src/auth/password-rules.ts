// Password rules by NIST SP 800-63B 3.1.1.2: length counts, composition does not, and passwords that guessers try first
// are refused.
import { invalidField, PASSWORD_LENGTH } from '@quarterdeck/core';

const PRODUCT = 'quarterdeck';
/** Shorter usernames are ignored: many good passwords contain them. */
const NAME_MIN = 3;
/** Share of a password that a run must have for a refusal. */
const RUN_SHARE = 0.75;
/** Rows of the alphabet and of keyboards, along which guessers walk forwards and backwards. */
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

export interface PasswordOwner {
  readonly username: string;
  readonly secondFactor: boolean;
}

/**
 * Refuses a password that breaks the rules.
 *
 * @throws AppError `validation_failed`, naming `body.password`
 */
export async function checkPassword(password: string, owner: PasswordOwner): Promise<void> {
  const message = await findPasswordFault(password, owner);
  if (message === undefined) return;
  throw invalidField('body.password', message);
}

/** Finds the broken rule of a password, as a text; undefined where there is none. */
export async function findPasswordFault(password: string, owner: PasswordOwner): Promise<string | undefined> {
  const characters = [...password.normalize('NFC')];
  const { min, minWithSecondFactor, max } = PASSWORD_LENGTH;
  const least = owner.secondFactor ? minWithSecondFactor : min;
  if (characters.length < least || characters.length > max) return `must be ${least} to ${max} characters long`;

  const plain = characters.join('').toLowerCase();
  if (isMostly(plain, owner.username.toLowerCase())) return 'must not consist mostly of the username';
  if (isMostly(plain, PRODUCT)) return `must not consist mostly of the word ${PRODUCT}`;
  if (isRun(plain)) return 'must not be a run of equal or neighbouring characters';
  const common = await commonPasswords();
  if (isRepetition(plain, common)) return 'must not repeat the same few characters';
  if (isCommon(plain, common)) return 'is one of the most common passwords';
  return undefined;
}

/** True where at least half of the text is this word, once or several times. */
function isMostly(plain: string, word: string): boolean {
  if (word.length < NAME_MIN) return false;
  return plain.replaceAll(word, '').length * 2 <= plain.length;
}

/** True for texts such as `aaaaaaaaaaaaaaaa`, `1234567890123456`, `qwertyuiopasdfgh`. */
function isRun(plain: string): boolean {
  const characters = [...plain];
  const steps = characters.filter((character, i) => {
    const before = characters[i - 1];
    return before !== undefined && (before === character || STEPS.has(`${before}${character}`));
  });
  return steps.length >= (characters.length - 1) * RUN_SHARE;
}

/** True for texts such as `abc1abc1abc1abc1`, `passwordpassword`: few characters or a common password, repeated. */
function isRepetition(plain: string, common: ReadonlySet<string>): boolean {
  // A repetition of the first n characters contains itself, n characters later.
  const period = (plain + plain).indexOf(plain, 1);
  return period < plain.length && (period <= 5 || common.has(plain.slice(0, period)));
}

/** True for a common password, alone or with digits and signs around it that are less than half of the text. */
function isCommon(plain: string, common: ReadonlySet<string>): boolean {
  if (common.has(plain)) return true;
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core.length * 2 > plain.length && common.has(core);
}

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * Loads 49,000 passwords from published leaks, in lower case (MIT), when a password is first chosen.
 */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return loading;
}
