// A fetch that gives up on an answer that does not end: what answers may not be our server.

function cutOff(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > maxBytes) controller.error(new Error(`an answer of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** A `fetch` whose answers fail when they grow over so many bytes. */
export const boundedFetch =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(cutOff(maxBytes)), { status, statusText, headers });
  };
