/** Streams for clients that read them in another form than as events. */

import { FrameError } from "#base/frames/frame.ts";
import type { StreamWords } from "#formats/format.ts";
import type { ResponseSink } from "#http/client-request.ts";

/** Returns a sink that takes events and sends them in the client's form. */
export function reframed(sink: ResponseSink, { openReframer }: StreamWords): ResponseSink {
  if (openReframer === undefined) return sink;
  const reframer = openReframer();
  let isBroken = false;

  function send(made: () => Uint8Array, pass: (bytes: Uint8Array) => void): void {
    if (isBroken) return;
    try {
      pass(made());
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      isBroken = true;
      sink.abort();
    }
  }

  return {
    isFull: sink.isFull.bind(sink),
    onDrained: sink.onDrained.bind(sink),
    abort: sink.abort.bind(sink),
    write(bytes) {
      send(
        () => reframer.write(bytes),
        (made) => sink.write(made),
      );
    },
    end(last = new Uint8Array()) {
      send(
        () => reframer.end(last),
        (made) => sink.end(made),
      );
    },
  };
}
