// Recognises from the environment what the terminal can show. Pure.
import type { Environment } from '@quarterdeck/core/environment';

/** Variables of the locale of characters, the strongest first, as POSIX orders them. */
const LOCALE_VARIABLES = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const;

/** Terminals that always show UTF-8, as the variable TERM_PROGRAM names them. */
const UTF8_TERMINALS: ReadonlySet<string> = new Set(['Apple_Terminal', 'iTerm.app', 'vscode', 'WezTerm', 'ghostty']);

/** Values of TERM for terminals that cannot address the cursor. */
const WITHOUT_CURSOR: ReadonlySet<string> = new Set(['', 'dumb', 'unknown']);

/**
 * Returns whether the terminal shows UTF-8. A locale decides; without one, only terminals that are known to. The
 * console of Windows takes UTF-16 from Node and needs no locale.
 */
export function showsUtf8(env: Environment, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  const locale = LOCALE_VARIABLES.map((name) => env[name] ?? '').find((value) => value !== '');
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return (env['WT_SESSION'] ?? '') !== '' || UTF8_TERMINALS.has(env['TERM_PROGRAM'] ?? '');
}

/** Returns whether the terminal can move its cursor to any cell, which a screen needs. */
export const movesCursor = (env: Environment, platform: NodeJS.Platform): boolean =>
  platform === 'win32' || !WITHOUT_CURSOR.has(env['TERM'] ?? '');
