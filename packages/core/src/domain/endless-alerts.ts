// Kinds of alerts without an end. Apart from the table of kinds, so that a front end need not load that.

/** Kinds whose alerts are resolved as soon as they are sent. */
const ENDLESS: readonly string[] = [
  'errlog.new',
  'errlog.regressed',
  'agent.back',
  'operation.failed',
  'change.worse',
  'token.reused',
];

/** True for a kind of alert that lasts until its cause ends. */
export const hasEnd = (kind: string): boolean => !ENDLESS.includes(kind);
