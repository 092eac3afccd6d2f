// Severities of the error log. Names and numbers are those of nginx (NGX_LOG_*), so an nginx line maps one to one;
// syslog severity = level - 1. Smaller is worse.

/** Level number -> name (specification 4.5). */
export const LEVELS = ['STDERR', 'EMERG', 'ALERT', 'CRIT', 'ERROR', 'WARN', 'NOTICE', 'INFO', 'DEBUG'] as const;

/** Name of a level, from `STDERR` (0) to `DEBUG` (8). */
export type LevelName = (typeof LEVELS)[number];

/** Level of text without a readable severity. */
export const LEVEL_ERROR = 4;

/** Name of a level number; the number itself when unknown. */
export const levelName = (level: number): string => LEVELS[level] ?? String(level);
