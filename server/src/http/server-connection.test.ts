import { expect, test } from "bun:test";
import { append, type Connection, consume } from "./server-connection.ts";

function emptyConnection(): Connection {
  const waiting: Pick<Connection, "pending" | "room"> = { pending: null, room: null };
  // `append` and `consume` use nothing else of a connection.
  return waiting as Connection;
}

test("bytes that wait are copied a few times, however many packets bring them", () => {
  const connection = emptyConnection();
  const memories = new Set<unknown>();
  const text = "0123456789".repeat(1_000);
  for (const letter of text) {
    append(connection, Buffer.from([letter.charCodeAt(0)]));
    memories.add(connection.pending?.buffer);
  }
  expect(connection.pending?.toString()).toBe(text);
  expect(memories.size).toBeLessThan(20);
});

test("what was taken out stays as it is when more bytes arrive", () => {
  const connection = emptyConnection();
  for (const text of ["ab", "cd", "ef"]) append(connection, Buffer.from(text));
  const taken = connection.pending?.subarray(0, 3);
  consume(connection, 3);
  for (const text of ["gh", "i", "jklmnopqrstuvwxyz"]) append(connection, Buffer.from(text));
  expect(taken?.toString()).toBe("abc");
  expect(connection.pending?.toString()).toBe("defghijklmnopqrstuvwxyz");
  consume(connection, 23);
  expect([connection.pending, connection.room]).toEqual([null, null]);
  append(connection, Buffer.from("new"));
  expect([taken?.toString(), connection.pending?.toString()]).toEqual(["abc", "new"]);
});
