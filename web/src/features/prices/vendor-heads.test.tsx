import { fireEvent, render, screen } from "#testing/dom.ts";
import "#testing/texts.ts";
import { expect, mock, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { modelColumns } from "./models.columns.tsx";
import { byBrand, modelRows, modelsOf } from "./models-list.ts";
import { readPriceMaps } from "./price-table.ts";

const read = readPriceMaps((name) => (name === "ModelRatio" ? '{"gpt-4o": 1, "gpt-5": 1}' : "{}"));
if (!read.ok) throw new Error(read.message);
const rows = modelRows({ maps: read.value, stored: read.value, offered: [] });

test("a selection counts models, and not the heads of their vendors", () => {
  const shown = byBrand(rows, () => true);
  expect(shown.length).toBe(3);
  expect(modelsOf(shown).length).toBe(2);
});

test("a press on a vendor's name unfolds it", () => {
  const onFold = mock();
  const name = modelColumns({ t, quotaPerUnit: "500000", onFold }).find(({ id }) => id === "model");
  const [head = expect.unreachable("no vendor")] = byBrand(rows, () => false);
  render(<KitRoot>{name?.cell(head)}</KitRoot>);
  fireEvent.click(screen.getByText("OpenAI"));
  expect(onFold.mock.calls).toEqual([["openai"]]);
});
