import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { forgetInvite, keepInvite, readInvite } from "./invite.ts";

test("A-105: the code of an invitation link is kept until an account was created with it", () => {
  expect(readInvite()).toBe("");
  keepInvite("AB12");
  keepInvite(undefined);
  keepInvite("");
  keepInvite("x".repeat(101));
  expect(readInvite()).toBe("AB12");
  keepInvite("CD34");
  expect(readInvite()).toBe("CD34");
  forgetInvite();
  expect(readInvite()).toBe("");
});
