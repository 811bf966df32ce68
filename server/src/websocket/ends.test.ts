import { expect, test } from "bun:test";
import { HeldBytes, openByteBudget } from "#base/memory/byte-budget.ts";
import { opcodes, writeFrame } from "./frames.ts";
import { closeMs, messageMs, pingMs, silenceMs, WebSocketEnd } from "./web-socket.ts";

/** Opens a server's end over a wire that is a list; `full`: whether the other end reads nothing. */
function open() {
  const world = {
    nowMs: 0,
    isFull: false,
    written: [] as number[],
    over: "",
    heard: [] as string[],
    budget: openByteBudget(100_000, 1_000),
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
    {
      isClient: false,
      messageBytesMax: 100_000,
      held: new HeldBytes({ budget: world.budget, owner: 1 }),
      nowMs: () => world.nowMs,
    },
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

/** The first bytes of a frame of this size. */
function beginning(size: number, bytes: number): Buffer {
  return writeFrame(opcodes.binary, Buffer.alloc(size, "x"), true).subarray(0, bytes);
}

test("a message that does not end is given up after a minute, whatever comes between its bytes", () => {
  const { end, world } = open();
  end.received(beginning(50_000, 5_000));
  for (let second = 0; second < messageMs / 1_000; second += 1) {
    end.received(Buffer.from([0]));
    end.tick((world.nowMs = second * 1_000));
  }
  expect([world.heard, world.budget.bytes]).toEqual([[], expect.any(Number)]);
  expect(world.budget.bytes).toBeGreaterThan(5_000);
  end.tick((world.nowMs = messageMs));
  expect([world.heard, world.over, world.budget.bytes]).toEqual([["closed 1008"], "ended", 0]);
});

test("each of many messages has its own time, which stands still while the end is paused", () => {
  const { end, world } = open();
  const whole = beginning(3_000, 3_014);
  end.received(whole.subarray(0, 1_000));
  end.tick(0);
  end.pause();
  end.tick((world.nowMs = 2 * messageMs));
  end.resume();
  // Of each message, the end comes together with the beginning of the next.
  for (let at = 0; at < 5; at += 1) {
    const next = beginning(3_000, 3_014);
    end.received(Buffer.concat([whole.subarray(1_000), next.subarray(0, 1_000)]));
    end.tick((world.nowMs += messageMs - 1));
    next.copy(whole, 1_000, 1_000);
  }
  expect([world.heard.length, world.over]).toEqual([5, ""]);
});

test("a message for which there is no memory ends the connection with 1013, and frees what came", () => {
  const { end, world } = open();
  const other = new HeldBytes({ budget: world.budget, owner: 2 });
  other.hold(10);
  end.received(beginning(90_000, 20_000));
  expect(world.budget.bytes).toBeGreaterThan(19_000);
  end.received(beginning(90_000, 50_000).subarray(20_000));
  expect([world.heard, world.budget.bytes]).toEqual([["closed 1013"], 10]);
});

test("behind its own close an end keeps nothing of what still comes", () => {
  const { end, world } = open();
  end.received(beginning(90_000, 20_000));
  end.close(1_008);
  expect(world.budget.bytes).toBe(0);
  end.received(beginning(90_000, 90_014).subarray(20_000));
  end.received(beginning(90_000, 40_000));
  expect([world.budget.bytes, world.heard, world.over]).toEqual([0, [], ""]);
});

test("a message in millions of pieces takes no more memory than its bytes", () => {
  const { end, receive, world } = open();
  const piece = (first: number) => {
    const bytes = writeFrame(opcodes.continuation, Buffer.from("x"), true);
    bytes[0] = first;
    return bytes;
  };
  end.received(piece(opcodes.text));
  for (let at = 0; at < 5_000; at += 1) end.received(piece(opcodes.continuation));
  expect(world.budget.bytes).toBeLessThan(10_010);
  receive(opcodes.ping);
  end.received(piece(0x80 | opcodes.continuation));
  expect([world.heard[0]?.length, world.budget.bytes]).toEqual([5_002, 0]);
});
