import { act, fireEvent, render, screen, waitFor } from "#testing/dom.ts";
import { beforeEach, expect, test } from "bun:test";
import { statusStore } from "#api/status.ts";
import { setLanguage } from "#i18n/t.ts";
import { statusWith } from "#widgets/testing/status.ts";
import {
  findWidget,
  forgetTurnstile,
  letScriptsCome,
  playTurnstile,
  renewed,
  shown,
} from "#widgets/testing/turnstile.ts";
import { useBotCheck } from "./use-bot-check.tsx";

let taken: string[];
beforeEach(() => {
  forgetTurnstile();
  taken = [];
});

function Form() {
  const check = useBotCheck();
  return (
    <>
      {check.field}
      <button
        onClick={() => {
          try {
            taken.push(check.take());
          } catch (error) {
            taken.push(`not yet: ${String(Reflect.get(Object(error), "message"))}`);
          }
        }}
      >
        send
      </button>
    </>
  );
}

function show(on: boolean) {
  const status = statusWith({ turnstile_check: on, turnstile_site_key: "site-key" });
  statusStore.write({ kind: "ready", status, error: null });
  return render(<Form />);
}

const send = () => fireEvent.click(screen.getByRole("button", { name: "send" }));

/**
 * A longer time limit for queries, because some components are loaded only when they are needed.
 */
const patient = { timeout: 20_000 };

const wait = "not yet: 请稍后几秒重试，正在进行人机验证！";

test("A-092: without the check its script is not loaded and no token is required", () => {
  show(false);
  send();
  expect(taken).toEqual([""]);
  expect(document.head.querySelector("script")).toBeNull();
});

test("if the network blocks the script, that is reported and can be tried again", async () => {
  letScriptsCome(false);
  show(true);
  await screen.findByText(
    /无法加载人机验证：当前网络连接不到 challenges.cloudflare.com/,
    {},
    patient,
  );
  send();
  expect(taken).toEqual([wait]);
  playTurnstile();
  fireEvent.click(screen.getByRole("button", { name: "重试" }));
  const options = await findWidget();
  act(() => options.callback("token"));
  expect(screen.queryByRole("alert")).toBeNull();
  send();
  expect(taken).toEqual([wait, "token"]);
});

test("A-092 A-110: each token is sent once, and without a token nothing is sent", async () => {
  show(true);
  const options = await findWidget();
  expect(options).toMatchObject({ sitekey: "site-key", theme: "light", language: "zh-cn" });
  send();
  act(() => options.callback("first"));
  send();
  send();
  expect(taken).toEqual([wait, "first", wait]);
  // Taking a token resets the widget, so that it makes another one.
  expect(renewed).toEqual(["widget-0"]);
  act(() => options.callback("second"));
  act(() => options["expired-callback"]());
  send();
  act(() => options.callback("third"));
  send();
  expect(taken.slice(3)).toEqual([wait, "third"]);
});

test("A-110: the same in English", async () => {
  await setLanguage("en");
  show(true);
  await findWidget();
  send();
  expect(taken[0]).toContain("please retry in a few seconds");
});

test("a failed check says so, and who has to act", async () => {
  show(true);
  const options = await findWidget();
  act(() => options.callback("token"));
  act(() => void options["error-callback"]("110200"));
  await screen.findByText("本站的人机验证配置有误，请联系管理员（错误码 110200）");
  send();
  expect(taken).toEqual([wait]);
  act(() => void options["error-callback"]("300030"));
  await screen.findByText("人机验证未能完成（错误码 300030）");
  act(() => options.callback("token"));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("the widget follows the page's language and theme", async () => {
  show(true);
  await findWidget();
  await act(async () => {
    await setLanguage("en");
    document.documentElement.classList.add("dark");
  });
  await waitFor(
    () => expect(shown.at(-1)?.options).toMatchObject({ language: "en", theme: "dark" }),
    patient,
  );
  document.documentElement.classList.remove("dark");
});
