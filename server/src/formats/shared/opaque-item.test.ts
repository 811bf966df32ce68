import { expect, test } from "bun:test";
import { openItem, sealItem } from "./opaque-item.ts";

const encrypted = `${"Er8BCkYIBhgCKkDo+/ab-_9".repeat(40)}==`;

const items = [
  {},
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: '天气 "é" 🌦' } },
  { content: [{ encrypted_content: encrypted, title: "" }, { encrypted_content: encrypted }] },
  { encrypted_content: encrypted.repeat(2_000) },
];

test("an item comes back whole, whatever it contains, in characters that clients can decode", () => {
  for (const item of items) {
    const sealed = sealItem(item);

    expect(openItem(sealed)).toEqual(item);
    expect(sealed).toMatch(/^[A-Za-z0-9+/_-]+$/);
    expect(sealed.length % 4).toBe(0);
  }
});

test("encrypted texts become hardly longer", () => {
  const [, , , item] = items;
  expect(sealItem(item ?? {}).length).toBeLessThan(encrypted.length * 2_000 * 1.02);
});

test("what a client has cut or changed is no item", () => {
  const sealed = sealItem(items[1] ?? {});

  for (const broken of ["x", "rfffffffabc", sealed.slice(0, -8), `h000000q${sealed.slice(8)}`]) {
    expect(openItem(broken)).toBeUndefined();
  }
});
