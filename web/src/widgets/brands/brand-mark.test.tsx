import { render, screen, waitFor } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { brands } from "@tollgate/contract/words/brands.ts";
import { markTexts } from "./mark-texts.ts";
import { ModelMark, TypeMark } from "./BrandMark.tsx";

test("every mark belongs to a brand of the table, in its order", () => {
  const ids = brands.map(({ id }) => id).filter((id) => id in markTexts);
  expect(Object.keys(markTexts).toSorted()).toEqual(ids);
});

test("a brand with a mark shows it; a brand without one, and an unknown model, a letter", async () => {
  const { container } = render(
    <>
      <ModelMark model="deepseek-chat" />
      <TypeMark type={6} label="OpenAIMax" />
      <ModelMark model="demo-chat" />
    </>,
  );
  await waitFor(() => expect(screen.queryByText("O") === null).toBe(false));
  await waitFor(() => expect(container.innerHTML).toContain("data:image/svg+xml"));
  expect(screen.getByText("D").getAttribute("aria-hidden")).toBe("true");
  expect(screen.queryAllByText(/./).length).toBe(2);
});
