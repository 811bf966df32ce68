import { screen, waitFor } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { sentTo } from "#testing/foreign-frame.ts";
import { renderAt } from "#testing/render.tsx";
import { OperatorPage } from "./OperatorPage.tsx";
import { readOperatorText } from "./operator-text.ts";

async function show(text: string): Promise<void> {
  const content = readOperatorText(text);
  if (content.kind === "none") throw new Error("nothing to show");
  await renderAt("/", () => <OperatorPage content={content} title="page" height="100px" />);
  await waitFor(() => expect(document.querySelector("[aria-busy], iframe, p, h1")).not.toBeNull());
}

test("a text is an address, HTML, Markdown or nothing", () => {
  expect(readOperatorText(" \n ").kind).toBe("none");
  expect(readOperatorText("https://status.example/a")).toEqual({
    kind: "address",
    address: "https://status.example/a",
  });
  expect(readOperatorText("http://status.example").kind).toBe("markdown");
  expect(readOperatorText("javascript:alert(1)").kind).toBe("markdown");
  expect(readOperatorText(" <h1>a</h1>").kind).toBe("html");
  expect(readOperatorText("# a").kind).toBe("markdown");
});

// A browser tests what the sanitiser removes, in e2e/public.spec.ts.
test("P-C1: the frame of HTML has no scripts of it, and not the console's origin", async () => {
  await show("<h1>hi</h1>");
  const frame = await screen.findByTitle<HTMLIFrameElement>("page");
  expect(frame.getAttribute("sandbox")).not.toMatch(/allow-(same-origin|top)/);
  expect(frame.getAttribute("src")).toBe("/frame.html");
  expect(await sentTo(frame)).toContain("hi");
});

test("P-C1: Markdown shows no script and no address that runs a script", async () => {
  await show("# Title\n\n<script>x()</script>\n\n<b onclick='x()'>bold</b> [go](javascript:x())");
  await screen.findByRole("heading", { name: "Title" });
  expect(document.querySelector("script, [onclick], [href^='javascript']")).toBeNull();
  expect(document.querySelector("iframe")).toBeNull();
});
