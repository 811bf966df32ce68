import { render, screen } from "#testing/dom.ts";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { TelegramButton, telegramScript } from "./TelegramButton.tsx";
import { keepTelegramReturn, takeTelegramReturn, telegramLastsMs } from "./telegram-return.ts";
import { statusWith } from "#widgets/testing/status.ts";

setDefaultTimeout(30_000);
afterEach(() => keepSession(null));

function show(botName: string) {
  const status = statusWith({ telegram_oauth: true, telegram_bot_name: botName });
  statusStore.write({ kind: "ready", status, error: null });
  return render(<TelegramButton />);
}

/** Where Telegram's script is told to send the browser. */
function wayBack(): URL {
  const script = document.querySelector(`script[src="${telegramScript}"]`);
  return new URL(script?.getAttribute("data-auth-url") ?? "");
}

test("A-086: the widget of the server's bot leads to the page, and no text is run as a script", async () => {
  show("gate_bot");
  const script = document.querySelector("script[data-telegram-login]");
  expect(script?.getAttribute("data-telegram-login")).toBe("gate_bot");
  expect(script?.hasAttribute("data-onauth")).toBe(false);
  expect(wayBack().pathname).toBe("/oauth/telegram");
  // The browser of the tests loads no scripts.
  await screen.findByText(/无法加载 Telegram 登录按钮：当前网络连接不到 telegram.org/);
});

test("without a bot there is no button", () => {
  const { container } = show("");
  expect(container.innerHTML).toBe("");
});

test("A-138: only what this tab asked for itself, a moment ago and signed in as now, comes back", () => {
  keepSession({ id: 7, username: "ann", display_name: "", role: 1, status: 1, group: "default" });
  show("gate_bot");
  const mark = wayBack().searchParams.get("state");
  const now = Date.now();
  expect(takeTelegramReturn("somebody else's", 7, now)).toBe(false);
  // Even a wrong one uses it up.
  expect(takeTelegramReturn(mark, 7, now)).toBe(false);
  for (const [userId, atMs, good] of [
    [7, now, true],
    [0, now, false],
    [8, now, false],
    [7, now + telegramLastsMs, false],
    [7, now - 1, false],
  ] as const) {
    const kept = keepTelegramReturn(7, now);
    expect([userId, takeTelegramReturn(kept, userId, atMs)]).toEqual([userId, good]);
    expect(takeTelegramReturn(kept, 7, now)).toBe(false);
  }
  expect(takeTelegramReturn(undefined, 7, now)).toBe(false);
});
