import { SERVER_URL } from '../api/base.ts';

/** A command that reads a path of the server. The token stays in a variable of the shell. */
export const curlOf = (path: string): string =>
  `curl -sS -H "API-Token: $QUARTERDECK_TOKEN" '${`${SERVER_URL}${path}`.replaceAll("'", "'\\''")}'`;
