/**
 * Tests that a page asks other servers for nothing unless its reader wants it. That no screen
 * violates the page's own policy is tested by `sweep.spec.ts`.
 */

import { expect } from "@playwright/test";
import { answer, ask, openAs, preparePlayground } from "./playground-scene.ts";
import { test } from "./support.ts";

/** A picture of one pixel. */
const dot = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "base64");

test("P-C1: a picture in an answer is asked for once the reader wants it", async ({
  enter,
  page,
  site,
}) => {
  const asked: string[] = [];
  await page.route("https://pictures.example/**", (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "image/gif", body: dot });
  });
  await openAs(page, enter, await preparePlayground(site), "/playground?model=play-picture");
  await ask(page, "画一只猫");
  const reply = answer(page, "play-picture");
  const load = reply.getByRole("button", { name: "pictures.example" });
  await expect(load).toBeVisible();
  await expect(reply).toHaveAttribute("aria-busy", "false");
  expect(asked).toEqual([]);
  await load.press("Enter");
  const picture = reply.frameLocator("iframe[title=cat]").getByRole("img", { name: "cat" });
  await expect(picture).toHaveJSProperty("naturalWidth", 1);
  expect(asked).toEqual(["https://pictures.example/p.gif?q=secret"]);
});
