// A profile that only reads: whatever would change something is refused here, before it leaves this program.

/** Signing in and out changes nothing that anybody looks after. */
const ALLOWED = /\/admin-api\/user\/(login|logout)\/?$/;

/** A fetch that lets only reading through. */
export function readOnly(fetcher: typeof fetch): typeof fetch {
  return async (input, init) => {
    const method = (init?.method ?? 'GET').toUpperCase();
    const path = new URL(String(input)).pathname;
    if (method === 'GET' || ALLOWED.test(path)) return fetcher(input, init);
    const body = {
      status: 403,
      msg: 'This profile only reads; nothing was sent.',
      time: 0,
      err: { code: 'forbidden' },
    };
    return Response.json(body, { status: 403 });
  };
}
