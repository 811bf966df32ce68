import { expect, test } from "bun:test";
import { hideKey, hideKnownKey, isLikeKey, unhideKey } from "./kept-secret.ts";

test("keys of providers are recognised, with a known beginning or without one", () => {
  for (const key of [
    "sk-Rc6l9abcdefghijklmnop",
    "sk-ant-api03-abcdefghijklmnop",
    "sk-proj-Ab_12-cdefghijklmnop",
    "AIzaSyA1234567890abcdefghij",
    "gsk_abcdefghijklmnop1234",
    "xai-abcdefghijklmnop1234",
    "AKIAABCDEFGHIJKLMNOP|secret/abcdefgh|us-east-1",
    "0123456789abcdef0123456789abcdef",
    "0123456789abcdef0123456789abcdef.Ab12Cd34Ef56",
    '{"type":"service_account","private_key":"-----BEGIN"}',
    " 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c ",
  ]) {
    expect(isLikeKey(key), key).toBe(true);
  }
});

test("names of channels and models are not taken for keys", () => {
  for (const name of [
    "",
    "17",
    "sk-",
    "Anthropic, enterprise agreement of the EU team",
    "accounts/fireworks/models/qwen3-235b-a22b-2507",
    "claude-sonnet-4-5-20250929",
    "Qwen2.5-72B-Instruct-Turbo",
    "https://api.example.com/v1/openai/deployments",
    "production-key-mobile-app-2",
    "备用渠道-华东区-二号机房-2026年十一月之后启用",
    "sk-ab12••••wxyz",
  ]) {
    expect(isLikeKey(name), name).toBe(false);
    expect(hideKey(name)).toBe(name);
  }
});

test("where ids are searched, only what begins as keys do is hidden", () => {
  for (const id of [
    "20261130142317904twvEaLgNCiZMWZKU",
    "req_demomx3cyhav000004",
    "sk-short",
    "eyJ-names-are-words-alone",
  ]) {
    expect(hideKnownKey(id), id).toBe(id);
  }
  expect(hideKnownKey("sk-Rc6l9abcdefghijklmnop")).toBe("sk-Rc6l••••mnop");
  expect(unhideKey("sk-Rc6l••••mnop")).toBe("sk-Rc6l9abcdefghijklmnop");
});

test("a hidden key comes back from memory, and only there", () => {
  const masked = hideKey(" sk-Rc6l9abcdefghijklmnop ");
  expect(masked).toBe("sk-Rc6l••••mnop");
  expect(unhideKey(masked)).toBe("sk-Rc6l9abcdefghijklmnop");
  expect(unhideKey("sk-none••••none")).toBe("sk-none••••none");
  for (let count = 0; count < 20; count += 1) hideKey(`sk-${count}aaaaaaaaaaaaaaaaaaaa${count}zz`);
  expect(unhideKey(masked)).toBe(masked);
});
