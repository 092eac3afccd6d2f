// Severities of the error log. The names and numbers are those of nginx (NGX_LOG_*), so an nginx line maps one to
// one; syslog severity = level - 1. Smaller is worse.

/** Level number -> name (specification 4.5). */
export const LEVELS = ['STDERR', 'EMERG', 'ALERT', 'CRIT', 'ERROR', 'WARN', 'NOTICE', 'INFO', 'DEBUG'] as const;

/** Name of a level. */
export type LevelName = (typeof LEVELS)[number];

/** The level of text whose severity cannot be read. */
export const LEVEL_ERROR = 4;

/** Name of a level number; the number itself where there is no such level. */
export const levelName = (level: number): string => LEVELS[level] ?? String(level);
