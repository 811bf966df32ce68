import { act, fireEvent, screen } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { findWidget, forgetTurnstile, playTurnstile, shown } from "#widgets/testing/turnstile.ts";
import { openSettings, section } from "./testing/settings.tsx";
import { expectToast, press, type } from "#testing/act.ts";

let stop = () => {};
beforeEach(() => {
  forgetTurnstile();
  playTurnstile();
});
afterEach(() => stop());

const off = { TurnstileCheckEnabled: "false", TurnstileSiteKey: "site" };
const on = { ...off, TurnstileCheckEnabled: "true" };

async function openCard(of: NonNullable<Parameters<typeof openSettings>[1]>) {
  const opened = await openSettings("/setting?tab=system", of);
  stop = opened.stop;
  return { ...opened, card: await section("人机校验") };
}

type Card = Awaited<ReturnType<typeof section>>;
const save = async (card: Card) => await press(card.getByRole("button", { name: "保存" }));
const flip = async (card: Card) => {
  await act(async () => void fireEvent.click(card.getByRole("switch")));
};

test("A-185: the bot check is switched on only after root has passed it with the stored keys", async () => {
  const { card, puts } = await openCard({ stored: off });
  expect(shown).toEqual([]);
  await flip(card);
  const widget = await findWidget();
  expect(widget.sitekey).toBe("site");
  expect(card.getByText(/请先通过下面的验证再保存/)).toBeTruthy();

  await save(card);
  await expectToast("请稍后几秒重试，正在进行人机验证！");
  expect(puts()).toEqual([]);
  act(() => widget.callback("passed"));
  await save(card);
  expect(puts()).toEqual([
    { key: "TurnstileCheckEnabled", value: "true", turnstile_token: "passed" },
  ]);
  expect(card.queryByText(/请先通过下面的验证再保存/)).toBeNull();
});

test("a new site key of an active check must be passed before it is saved", async () => {
  const { card, puts } = await openCard({ stored: on });
  await type(card.getByLabelText("Turnstile Site Key"), "other");
  const widget = await findWidget();
  expect(widget.sitekey).toBe("other");
  act(() => widget.callback("passed"));
  await save(card);
  expect(puts()).toEqual([{ key: "TurnstileSiteKey", value: "other", turnstile_token: "passed" }]);
});

test("a token that was refused is not sent again", async () => {
  const no = "Turnstile 验证未通过";
  const { card, puts } = await openCard({ stored: off, refuse: { TurnstileCheckEnabled: no } });
  await flip(card);
  const widget = await findWidget();
  act(() => widget.callback("of another site"));
  await save(card);
  expect((await screen.findAllByText(new RegExp(no))).length).toBeGreaterThan(0);
  await save(card);
  await expectToast("请稍后几秒重试，正在进行人机验证！");
  expect(puts()).toHaveLength(1);
});

test("switching the check off, or saving keys while it is off, needs no trial", async () => {
  const { card, puts } = await openCard({ stored: on });
  await flip(card);
  await type(card.getByLabelText("Turnstile Site Key"), "other");
  await save(card);
  expect(puts()).toEqual([
    { key: "TurnstileSiteKey", value: "other" },
    { key: "TurnstileCheckEnabled", value: "false" },
  ]);
});
