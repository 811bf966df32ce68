import { expect, test } from "bun:test";
import { chatLinks, chatUrl } from "./chat-links.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";

test("the server's configured address comes first, then the page's own", () => {
  expect(serverUrlOf("https://gate.example/", "http://here")).toBe("https://gate.example");
  expect(serverUrlOf("", "http://here")).toBe("http://here");
  expect(serverUrlOf(undefined, "http://here")).toBe("http://here");
});

test("a chat link is filled in, and no link can run a script", () => {
  const [first, second] = chatLinks([
    { Web: "https://c.example/?k={key}&u={address}" },
    { App: "x" },
  ]);
  expect(second).toEqual({ name: "App", template: "x" });
  expect(chatUrl(first?.template ?? "", "https://gate.example", "sk-1")).toBe(
    "https://c.example/?k=sk-1&u=https%3A%2F%2Fgate.example",
  );
  expect(chatUrl("ama://set?server={address}&key={key}", "https://g", "sk-1")).toBe(
    "ama://set?server=https%3A%2F%2Fg&key=sk-1",
  );
  for (const bad of ["javascript:alert('{key}')", " JavaScript:x", "data:text/html,x", "x"]) {
    expect(chatUrl(bad, "https://g", "sk-1")).toBeNull();
  }
});
