// A fetch that gives up on an answer that does not end: what answers may not be our server.

const ANSWER_MAX_BYTES = 64 * 1024;

function cutOff(): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > ANSWER_MAX_BYTES) controller.error(new Error(`an answer of more than ${ANSWER_MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** `fetch` whose answers fail when they grow over 64 KiB; the console's are far smaller. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(cutOff()), { status, statusText, headers });
};
