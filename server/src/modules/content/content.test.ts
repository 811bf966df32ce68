import { expect, test } from "bun:test";
import { framedAddress } from "@tollgate/contract/endpoints/content.ts";
import { framedOrigins } from "./content.handlers.ts";

test("P-C1: a text that is only an https address is shown as the page at it", () => {
  expect(framedAddress(" https://status.example/now?a=1 ")?.href).toBe(
    "https://status.example/now?a=1",
  );
  const texts = [
    "",
    "see https://status.example",
    "http://status.example",
    "https://a b",
    "https:",
  ];
  for (const text of texts) expect(framedAddress(text), text).toBeNull();
});

test("P-C3: an address adds only its origin to the content security policy", () => {
  const originsOf = (About: string, HomePageContent: string) =>
    framedOrigins((name) => ({ About, HomePageContent })[name]);

  expect(originsOf("https://status.example:8443/a?b", "# Welcome")).toEqual([
    "https://status.example:8443",
  ]);
  expect(originsOf("https://evil.example;script-src/", "https://a.example/;script-src")).toEqual([
    "https://a.example",
  ]);
});
