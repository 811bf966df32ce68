import { expect, test } from "bun:test";
import { admit, guest, type KnownIdentity } from "./guard.ts";

const looking: KnownIdentity = {
  kind: "known",
  userId: 1,
  role: 100,
  username: "root",
  status: 1,
  sessionId: "s",
  onlyReads: { veil: (answer: unknown) => answer },
};
const sent = (method: string) =>
  new Request("http://gate.example/api/x", { method, headers: { "new-api-user": "1" } });
const admitted = { userId: 1, role: 100 };

test("who may only look reads as the role does, also by a POST that only reads", () => {
  expect(admit({ access: "root" }, looking, sent("GET"), "")).toMatchObject(admitted);
  const asks = { access: "root", readsOnly: true } as const;
  expect(admit(asks, looking, sent("POST"), "")).toMatchObject(admitted);
});

test("who may only look changes nothing, by whatever method", () => {
  for (const method of ["POST", "PUT", "DELETE"]) {
    expect(() => admit({ access: "user" }, looking, sent(method), "")).toThrow("只能查看");
  }
  const changes = { access: "user", changesState: true } as const;
  expect(() => admit(changes, looking, sent("GET"), "")).toThrow("只能查看");
});

test("who may only look is a visitor to calls that are open to all and change something", () => {
  expect(admit({ access: "public" }, looking, sent("POST"), "")).toBe(guest);
  const bound = { access: "public", changesState: true, byCookieAlone: true } as const;
  expect(admit(bound, looking, sent("GET"), "")).toBe(guest);
  expect(admit({ access: "public" }, looking, sent("GET"), "")).toMatchObject(admitted);
});
