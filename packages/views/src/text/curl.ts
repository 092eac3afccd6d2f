// Commands for shells.

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Renders the request as a curl command without the credential and the body. */
export function curlOf({ method, url }: { readonly method: string; readonly url: string }): string {
  const how = method === 'GET' ? '' : ` -X ${method} -H 'Content-Type: application/json' -d @body.json`;
  return `curl -sS${how} -H "API-Token: $QUARTERDECK_TOKEN" ${quoted(url)}`;
}
