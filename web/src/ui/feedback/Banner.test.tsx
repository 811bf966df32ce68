import { render, screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { Banner } from "./Banner.tsx";

test("in a narrow card the icon of a message stays beside its words", () => {
  const { container } = render(<Banner tone="success" title="The key is shown once" />);
  let shared: Element | null = container.querySelector("svg");
  const title = screen.getByText("The key is shown once");
  while (shared !== null && !shared.contains(title)) shared = shared.parentElement;
  // The row of both does not wrap; the row around it does, for the action beside them.
  expect(shared?.classList.contains("flex")).toBe(true);
  expect(shared?.classList.contains("flex-wrap")).toBe(false);
});
