// The public surface of @quarterdeck/mcp: the tools over stdio and over HTTP.
export { createHttpTools, type HttpTools, type HttpToolsCall, type HttpToolsOptions } from './http.ts';
export { type StdioOptions, serveStdio } from './stdio.ts';
