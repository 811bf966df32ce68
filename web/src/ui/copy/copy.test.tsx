import { fireEvent, freshBrowser, render, screen, waitFor } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, mock, test } from "bun:test";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { CopyButton } from "./CopyButton.tsx";

beforeEach(freshBrowser);

const key = "sk-0123456789abcdef";

function setClipboard(clipboard: unknown) {
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
}

function setCommand(command: unknown) {
  Object.defineProperty(document, "execCommand", { value: command, configurable: true });
}

afterEach(() => {
  setClipboard(undefined);
  setCommand(undefined);
});

test("a copied key is on the clipboard and the button says so", async () => {
  const writeText = mock(async () => undefined);
  setClipboard({ writeText });
  const copied = mock();
  render(
    <KitRoot>
      <CopyButton text={key} label="复制" onCopied={copied} />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "复制" }));
  await screen.findByRole("button", { name: "已复制" });
  expect(writeText.mock.calls).toEqual([[key] as never]);
  expect(copied).toHaveBeenCalledTimes(1);
});

const curl = `curl -H "authorization: Bearer ${key}" ${"x".repeat(90)}`;

for (const [what, source, message] of [
  ["a text is said", { text: "https://gate.example/v1" }, /^已复制：https:\/\/gate\.example\/v1$/],
  [
    "a long text is cut, and keys in it are masked",
    { text: curl },
    /^已复制：curl -H "authorization: Bearer sk-0123••••cdef" x+…$/,
  ],
  ["a key is masked", { read: async () => "0123456789abcdef" }, /^已复制：0123••••cdef$/],
  ["a password is left out", { text: "a long password", secret: true }, /^已复制：••••••••$/],
] as const) {
  test(`O-664 O-665: in the message about a copy, ${what}`, async () => {
    setClipboard({ writeText: mock(async () => undefined) });
    render(
      <KitRoot>
        <CopyButton {...source} label="复制" />
      </KitRoot>,
    );
    fireEvent.click(screen.getByRole("button", { name: "复制" }));
    expect((await screen.findAllByText(message)).length).toBeGreaterThan(0);
  });
}

test("on plain HTTP, which has no clipboard, the selection is copied", async () => {
  setClipboard(undefined);
  let selected = "";
  setCommand(() => {
    const field = document.activeElement;
    if (field instanceof HTMLTextAreaElement) selected = field.value;
    return true;
  });
  render(
    <KitRoot>
      <CopyButton text={key} label="复制" />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "复制" }));
  await screen.findByRole("button", { name: "已复制" });
  expect(selected).toBe(key);
  expect(document.querySelector("body > textarea") === null).toBe(true);
});

test("A-439: if the browser refuses both ways, a dialog shows the text selected", async () => {
  setClipboard({ writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) });
  setCommand(() => false);
  const copied = mock();
  render(
    <KitRoot>
      <CopyButton text={key} label="复制" onCopied={copied} />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "复制" }));
  const field = await screen.findByLabelText<HTMLTextAreaElement>("待复制的文本");
  expect(field.value).toBe(key);
  expect(screen.getByRole("dialog", { name: "无法复制到剪贴板，请手动复制" }) !== null).toBe(true);
  await waitFor(() => expect(document.activeElement === field).toBe(true));
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, key.length]);
  expect(copied).not.toHaveBeenCalled();
});

test("above a sheet, the dialog with the text leaves the sheet open when it closes", async () => {
  const close = mock();
  render(
    <KitRoot>
      <Sheet open onClose={close} title="令牌">
        <CopyButton text={key} label="复制密钥" />
      </Sheet>
    </KitRoot>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "复制密钥" }));
  const field = await screen.findByLabelText("待复制的文本");
  fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => expect(screen.queryByLabelText("待复制的文本") === null).toBe(true));
  expect(close).not.toHaveBeenCalled();
});

test("a key that cannot be read is not copied, and the reason is shown", async () => {
  const writeText = mock(async () => undefined);
  setClipboard({ writeText });
  render(
    <KitRoot>
      <CopyButton read={() => Promise.reject(new Error("没有权限"))} label="复制" />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "复制" }));
  await waitFor(() => expect(screen.getAllByText("没有权限").length).toBeGreaterThan(0));
  expect(writeText).not.toHaveBeenCalled();
});
