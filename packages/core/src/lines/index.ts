// The public surface of "@quarterdeck/core/lines": what the text of a log line says. Shared by the server, which receives
// lines, and the agent, which reads them from files. Pure, and for Node only.
export * from './level-names.ts';
export * from './line-fields.ts';
export * from './log-line.ts';
export * from './nginx-context.ts';
export * from './nginx-line.ts';
export * from './trace-lines.ts';
