import { render, screen } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { TelegramButton, telegramScript } from "./TelegramButton.tsx";
import { keepTelegramReturn, takeTelegramReturn, telegramLastsMs } from "./telegram-return.ts";
import { statusWith } from "#widgets/testing/status.ts";

afterEach(() => keepSession(null));

function show(botName: string) {
  const status = statusWith({ telegram_oauth: true, telegram_bot_name: botName });
  statusStore.write({ kind: "ready", status, error: null });
  return render(<TelegramButton />);
}

/** Returns the address to which Telegram's script sends the browser after the sign-in. */
function wayBack(): URL {
  const script = document.querySelector(`script[src="${telegramScript}"]`);
  return new URL(script?.getAttribute("data-auth-url") ?? "");
}

test("A-086: the widget leads to a page of ours, and no text is run as a script", async () => {
  show("gate_bot");
  const script = document.querySelector("script[data-telegram-login]");
  expect(script?.getAttribute("data-telegram-login")).toBe("gate_bot");
  expect(script?.hasAttribute("data-onauth")).toBe(false);
  expect(wayBack().pathname).toBe("/oauth/telegram");
  // happy-dom (the DOM of these tests) loads no scripts, so the button reports a failure.
  await screen.findByText(/无法加载 Telegram 登录按钮：当前网络连接不到 telegram.org/);
});

test("without a bot there is no button", () => {
  const { container } = show("");
  expect(container.innerHTML).toBe("");
});

test("A-138: an answer is accepted only if this tab asked for it lately, for the same user", () => {
  keepSession({ id: 7, username: "ann", display_name: "", role: 1, status: 1, group: "default" });
  show("gate_bot");
  const mark = wayBack().searchParams.get("state");
  const now = Date.now();
  expect(takeTelegramReturn("somebody else's", 7, now)).toBeUndefined();
  // The wrong attempt has removed the stored nonce, so the right one is refused now as well.
  expect(takeTelegramReturn(mark, 7, now)).toBeUndefined();
  for (const [userId, atMs, good] of [
    [7, now, true],
    [0, now, false],
    [8, now, false],
    [7, now + telegramLastsMs, false],
    [7, now - 1, false],
  ] as const) {
    const kept = keepTelegramReturn(7, now, "s-1");
    expect([userId, takeTelegramReturn(kept, userId, atMs) === "s-1"]).toEqual([userId, good]);
    expect(takeTelegramReturn(kept, 7, now)).toBeUndefined();
  }
  expect(takeTelegramReturn(undefined, 7, now)).toBeUndefined();
});
