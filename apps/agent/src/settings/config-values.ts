// Schemas of configuration values, for variables and file alike.
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';

/** A command of the operator, word by word; no shell reads it. */
export type Command = readonly [program: string, ...words: string[]];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const isCommand = (words: readonly string[]): words is Command => words.length > 0 && words[0] !== '';

/** A list with commas between. */
export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** Describes what {@link commandText} accepts. */
export const COMMAND_ALLOWED =
  'a program and its arguments with spaces between; no shell reads it, so no quotes, pipes or wildcards';

/**
 * A command as one text. It rejects quotes, pipes and the like: without a shell they would reach the program as plain
 * words.
 */
export const commandText = z
  .string()
  .max(1000)
  .regex(/^[^|&;<>$`"'\\*?(){}\p{Cc}]*$/u, `must be ${COMMAND_ALLOWED}`)
  .transform((value) => value.split(' ').filter((word) => word !== ''))
  .refine(isCommand, 'must name a program');

/** A command word by word. */
export const commandWords = z
  .array(
    z
      .string()
      .max(1000)
      .regex(/^\P{Cc}*$/u, 'must have no control characters'),
  )
  .max(100)
  .refine(isCommand, 'must begin with a program');

/** The path of a file or folder. */
export const filePath = z
  .string()
  .max(1000)
  .regex(/^\P{Cc}+$/u, 'must be a path');

/** A glob of files to follow. */
export const globPattern = filePath
  .refine((pattern) => !pattern.endsWith('/'), 'must name files, not a folder')
  .transform((pattern) => (isAbsolute(pattern) ? pattern : resolve(pattern)));

export const TREES_ALLOWED = 'absolute paths of files and folders, with wildcards';

/** Files and folders to watch. */
export const treePattern = filePath
  .refine((pattern) => isAbsolute(pattern), `must be ${TREES_ALLOWED}`)
  .transform((pattern) => resolve(pattern));

export const FOLDERS_ALLOWED = 'absolute paths of folders';

/** An absolute path of a folder, without wildcards. */
export const folderPath = filePath
  .refine((path) => isAbsolute(path), `must be ${FOLDERS_ALLOWED}`)
  .transform((path) => resolve(path));

export const JOURNAL_ALLOWED = 'all, or full names of units, e.g. nginx.service';

/** The full name of a unit of systemd. It never begins like an option of a command. */
export const unitName = z
  .string()
  .max(255)
  .regex(/^[\w@][\w@:.\\-]*\.\w+$/, `must be ${JOURNAL_ALLOWED}`);

/** All entries of the journal, as an empty list of units. */
export const wholeJournal = z.literal('all').transform((): string[] => []);

export const CONTAINERS_ALLOWED = 'names of containers, with wildcards, e.g. shop-*';

/** Name of a container, with wildcards. */
export const containerName = z
  .string()
  .max(255)
  .regex(/^[\w.*?[\]-]+$/, `must be ${CONTAINERS_ALLOWED}`);

export const SPOOL_DEFAULT_MB = 64;
export const SPOOL_ALLOWED = 'a whole number from 1 to 100000';

/** Maximum size of the spool in megabytes. */
export const spoolMb = z.int(`must be ${SPOOL_ALLOWED}`).min(1).max(100_000);
