import { act, fireEvent, screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { useState } from "react";
import { renderAt } from "#testing/render.tsx";
import { QuotaInput } from "./QuotaInput.tsx";

function Part({ first }: { first: number | null }) {
  const [value, setValue] = useState(first);
  return (
    <>
      <QuotaInput aria-label="额度" value={value} onChange={setValue} presets={[500_000]} />
      <pre data-testid="units">{String(value)}</pre>
    </>
  );
}
const field = () => screen.getByLabelText<HTMLInputElement>("额度");
const units = () => screen.getByTestId("units").textContent;
const type = async (value: string) =>
  await act(async () => void fireEvent.change(field(), { target: { value } }));

test("O-268: dollars are typed and whole units kept; the typed text stays as it is", async () => {
  await renderAt("/x", () => <Part first={750_000} />);
  expect(field().value).toBe("1.5");
  for (const [text, kept] of [
    ["1.", "500000"],
    ["1.0", "500000"],
    ["1.005", "502500"],
    ["", "null"],
    ["x", "NaN"],
  ] as const) {
    await type(text);
    expect(field().value).toBe(text);
    expect(units()).toBe(kept);
  }
});

test("a preset shows as an amount, whatever was typed before", async () => {
  await renderAt("/x", () => <Part first={null} />);
  await type("x");
  await act(async () => void fireEvent.click(screen.getByRole("button", { name: "$1" })));
  expect(field().value).toBe("1");
  expect(units()).toBe("500000");
  expect(screen.getByRole("button", { name: "$1" }).getAttribute("aria-pressed")).toBe("true");
});
