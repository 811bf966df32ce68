import { expect, test } from "bun:test";
import { opcodes, writeFrame } from "./frames.ts";
import { closeMs, pingMs, silenceMs, WebSocketEnd } from "./web-socket.ts";

/** Opens a server's end over a wire that is a list; `full`: whether the other end reads nothing. */
function open() {
  const world = {
    nowMs: 0,
    isFull: false,
    written: [] as number[],
    over: "",
    heard: [] as string[],
  };
  const end = new WebSocketEnd(
    {
      write: (bytes) => void world.written.push((bytes[0] ?? 0) & 0x0f),
      isFull: () => world.isFull,
      pause: () => {},
      resume: () => {},
      end: () => void (world.over = "ended"),
      destroy: () => void (world.over = "destroyed"),
    },
    { isClient: false, messageBytesMax: 1_000, nowMs: () => world.nowMs },
    {
      message: (bytes) => void world.heard.push(bytes.toString()),
      drained: () => void world.heard.push("drained"),
      closed: (code) => void world.heard.push(`closed ${code}`),
    },
  );
  const receive = (opcode: number, text = ""): void =>
    end.received(writeFrame(opcode, Buffer.from(text), true));
  return { world, end, receive };
}

test("an end that hears nothing asks, and then takes the connection for lost", () => {
  const { end, receive, world } = open();
  end.tick((world.nowMs = pingMs));
  end.tick((world.nowMs = pingMs + 1));
  expect(world.written).toEqual([opcodes.ping]);
  receive(opcodes.pong);
  end.tick((world.nowMs += pingMs));
  expect(world.written).toEqual([opcodes.ping, opcodes.ping]);
  end.tick((world.nowMs += silenceMs));
  expect([world.over, world.heard]).toEqual(["destroyed", ["closed 1006"]]);
});

test("a close that is not answered is given up, and the listener hears of an end once", () => {
  const { end, world } = open();
  end.close();
  end.close();
  end.send("too late");
  end.tick((world.nowMs = closeMs));
  end.lost();
  expect(world.written).toEqual([opcodes.close]);
  expect([world.over, world.heard]).toEqual(["destroyed", ["closed 1006"]]);
});

test("many pings of an end that does not read are answered by one pong", () => {
  const { end, receive, world } = open();
  world.isFull = true;
  for (let count = 0; count < 1_000; count += 1) receive(opcodes.ping, "?");
  expect(world.written).toEqual([]);
  world.isFull = false;
  end.wireDrained();
  expect([world.written, world.heard]).toEqual([[opcodes.pong], ["drained"]]);
});

test("messages that come while an end is paused are heard afterwards, in their order", () => {
  const { end, receive, world } = open();
  const frames = ["1", "2", "3"].map((text) => writeFrame(opcodes.text, Buffer.from(text), true));
  end.pause();
  end.received(Buffer.concat(frames));
  receive(opcodes.text, "4");
  expect(world.heard).toEqual([]);
  end.resume();
  receive(opcodes.text, "5");
  expect(world.heard).toEqual(["1", "2", "3", "4", "5"]);
});
