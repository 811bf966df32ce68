import { expect, test } from "bun:test";
import { hidden, openVeil } from "./tour-veil.ts";

const veil = openVeil({
  isOurs: (name) => name === "root" || name.startsWith("demo-"),
  markOf: (name) => String(name.length),
});

test("who looks around is told neither the names nor the addresses of other visitors", () => {
  const row = {
    id: 7,
    username: "zoe",
    client_ip: "45.67.89.10",
    email: "zoe@mail.example",
    other: '{"client_ip":"45.67.89.10","model_ratio":2}',
    content: "from 45.67.89.10 and 2a02:26f0::1 for zoe@mail.example",
    is_stream: false,
  };
  expect(veil({ items: [row] }, {})).toEqual({
    items: [
      {
        id: 7,
        username: "visitor-3",
        client_ip: hidden,
        email: hidden,
        other: `{"client_ip":"${hidden}","model_ratio":2}`,
        content: `from ${hidden} and ${hidden} for ${hidden}`,
        is_stream: false,
      },
    ],
  });
});

test("who looks around sees the demo's own accounts and what tells of nobody as they are", () => {
  const shown = {
    username: "demo-ada",
    actor_name: "root",
    target_name: "",
    client_ip: "203.0.113.10",
    base_url: "http://127.0.0.1:43211/v1",
    model: "gpt-4.1",
    version: "1.2.3",
    at: "2026-11-30T20:15:00Z 20:15:00",
    ratio: 0.5,
    list: [null, "a:b", "::", 3],
  };
  expect(veil(shown, {})).toEqual(shown);
});

test("names of accounts are left out of sums by user, and ids stay", () => {
  const part = (name: string) => ({ id: 4, name, quota: 5 });
  const mine = { users: { top: [part("zoe"), part("demo-ada")], rest: null }, models: [part("m")] };
  expect(veil(mine, {})).toEqual({
    users: { top: [part("visitor-3"), part("demo-ada")], rest: null },
    models: [part("m")],
  });
  const series = [
    { value: "zoe", name: "" },
    { value: "17", name: "zoe" },
  ];
  const hiddenSeries = [
    { value: "visitor-3", name: "" },
    { value: "17", name: "visitor-3" },
  ];
  expect(veil({ series }, { by: "user" })).toEqual({ series: hiddenSeries });
  expect(veil({ series }, { by: "model" })).toEqual({ series });
  expect(veil({ values: series }, { facet: "user" })).toEqual({ values: hiddenSeries });
});

test("the target of a note in the audit log is hidden where it is an account", () => {
  const noteOn = (target: string, target_name: string) => ({ target, target_name });
  expect(veil([noteOn("user:9", "zoe"), noteOn("channel:9", "zoe")], {})).toEqual([
    noteOn("user:9", "visitor-3"),
    noteOn("channel:9", "zoe"),
  ]);
});

test("the values of a receipt are hidden by the names beside them", () => {
  const fields = [
    { name: "username", value: "zoe" },
    { name: "client_ip", value: "45.67.89.10" },
    { name: "quota", value: 9 },
  ];
  expect(veil({ fields }, {})).toEqual({
    fields: [
      { name: "username", value: "visitor-3" },
      { name: "client_ip", value: hidden },
      { name: "quota", value: 9 },
    ],
  });
});
