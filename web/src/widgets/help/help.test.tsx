import { fireEvent, screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { options } from "@tollgate/contract/options/options.ts";
import { renderAt } from "#testing/render.tsx";
import { HelpOn } from "./HelpOn.tsx";
import { helpTerms, optionTerms } from "./terms.ts";

test("a question mark explains its word in one sentence and leads to more in another tab", async () => {
  await renderAt("/", () => <HelpOn term="weight" word="权重" />);
  fireEvent.click(screen.getByRole("button", { name: "“权重”是什么？" }));
  expect(await screen.findByText("同一优先级的渠道按权重的比例分担调用。")).toBeTruthy();
  const link = screen.getByText("更多说明与例子");
  expect(link.getAttribute("href")).toBe("/help#weight");
  expect(link.getAttribute("target")).toBe("_blank");
});

test("options with an explained word exist, and each explained word is one of the page's", () => {
  const names = Object.keys(optionTerms);
  expect(names.filter((name) => !Object.hasOwn(options, name))).toEqual([]);
  expect(Object.values(optionTerms).filter((term) => !helpTerms.includes(term))).toEqual([]);
});
