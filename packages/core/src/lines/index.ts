// The public surface of "@quarterdeck/core/lines": parsers of log lines. The server uses them for received lines, the
// agent for lines of files. Pure, and for Node only.
export { visibleName } from '../base/visible-text.ts';
export * from './clean-name.ts';
export * from './colours.ts';
export * from './json-entry.ts';
export * from './json-fields.ts';
export * from './leading-time.ts';
export * from './level-in-text.ts';
export * from './level-names.ts';
export * from './line-fields.ts';
export * from './log-line.ts';
export { maskTexts } from './mask-secrets.ts';
export { nginxContextAt } from './nginx-context.ts';
export * from './nginx-fields.ts';
export * from './nginx-line.ts';
export * from './text-entry.ts';
export * from './time-zone.ts';
export * from './trace-lines.ts';
