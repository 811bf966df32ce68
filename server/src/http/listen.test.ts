import { expect, test } from "bun:test";
import { listen } from "./listen.ts";

test("relayed calls are served between simultaneous calls of the console", async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  const begunIn: number[] = [];
  const listener = listen({
    host: "127.0.0.1",
    port: 0,
    keepAliveSeconds: 75,
    routes: {
      relay: async (request) => request.respond({ status: 200, headers: {}, body: "relayed" }),
      playground: async () => {},
      console: async () => {
        begunIn.push(turn);
        return new Response("console");
      },
      other: async () => new Response("other"),
      demoCall: null,
    },
    newRequestId: () => "id",
    clientIp: (peer) => peer,
    isSecure: () => false,
    onBug: (error) => {
      throw error;
    },
  });
  const get = async (path: string): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${listener.port}${path}`)).text();
  count();
  const paths = Array.from({ length: 50 }, () => "/api/status");
  const texts = await Promise.all([...paths, "/v1/models", "/healthz"].map(get));
  isOver = true;
  listener.stop();

  expect(texts.slice(0, 50)).toEqual(paths.map(() => "console"));
  expect(texts.slice(50)).toEqual(["relayed", "other"]);
  const inOneTurn = Math.max(...begunIn.map((at) => begunIn.filter((each) => each === at).length));
  // A call may begin on each side of the moment at which this test counts a turn.
  expect(inOneTurn).toBeLessThanOrEqual(4);
});
