import { act, fireEvent, freshBrowser, render, screen, waitFor } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { useState } from "react";
import { Button } from "#ui/controls/Button.tsx";
import type { ConfirmQuestion } from "./ConfirmDialog.tsx";
import { Dialog } from "./Dialog.tsx";
import { KitRoot } from "./KitRoot.tsx";
import { Menu } from "./Menu.tsx";
import { Sheet } from "./Sheet.tsx";
import { leaveFaults, mendFaults } from "./open-faults.ts";
import { toast, toastError, toastFailure, toastManager } from "./toast.ts";
import { useConfirm } from "./use-confirm.ts";

beforeEach(freshBrowser);

afterEach(() => act(() => toastManager.close()));

const deletion: ConfirmQuestion = {
  title: "删除用户？",
  confirmLabel: "删除",
  tone: "danger",
  typed: "wangmin1003",
};

function Asker(props: { question: ConfirmQuestion; onAnswer: (yes: boolean) => void }) {
  const confirm = useConfirm();
  return <Button onClick={() => void confirm(props.question).then(props.onAnswer)}>提问</Button>;
}

async function ask(question: ConfirmQuestion) {
  const answer = mock();
  render(
    <KitRoot>
      <Asker question={question} onAnswer={answer} />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "提问" }));
  await screen.findByRole("alertdialog");
  return answer;
}

test("a destructive question can be confirmed only after the name has been typed", async () => {
  const answer = await ask(deletion);
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "删除" });
  const field = screen.getByRole("textbox");
  expect(button.disabled).toBe(true);
  fireEvent.change(field, { target: { value: "wangmin100" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(button.disabled).toBe(true);
  expect(answer).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: "wangmin1003" } });
  expect(button.disabled).toBe(false);
  fireEvent.click(button);
  await waitFor(() => expect(answer.mock.calls).toEqual([[true]]));
});

test("Enter does not confirm a destructive question: cancel has the focus", async () => {
  await ask({ title: "删除？", confirmLabel: "删除", tone: "danger" });
  const cancel = screen.getByRole("button", { name: "取消" });
  await waitFor(() => expect(document.activeElement === cancel).toBe(true));
});

test("Escape answers no", async () => {
  const answer = await ask({ title: "离开？", confirmLabel: "离开" });
  fireEvent.keyDown(screen.getByRole("alertdialog"), { key: "Escape" });
  await waitFor(() => expect(answer.mock.calls).toEqual([[false]]));
});

test("a second question answers the first with no, so that nobody waits for ever", async () => {
  const answer = await ask({ title: "一", confirmLabel: "好" });
  // The page behind the dialog asks a question, as a timer could make it do.
  fireEvent.click(screen.getByText("提问"));
  await waitFor(() => expect(answer.mock.calls).toEqual([[false]]));
});

test("a question from a sheet stands above it; Escape answers it and keeps the sheet", async () => {
  const close = mock();
  const answer = mock();
  function Screen() {
    // The question is asked from outside the sheet, as when a form asks before typed text is lost.
    const confirm = useConfirm();
    return (
      <Sheet open onClose={close} title="编辑">
        <Button
          onClick={() => void confirm({ title: "放弃？", confirmLabel: "放弃" }).then(answer)}
        >
          提问
        </Button>
      </Sheet>
    );
  }
  render(
    <KitRoot>
      <Screen />
    </KitRoot>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "提问" }));
  fireEvent.keyDown(await screen.findByRole("alertdialog"), { key: "Escape" });
  await waitFor(() => expect(answer.mock.calls).toEqual([[false]]));
  expect(close).not.toHaveBeenCalled();
  await waitFor(() => expect(screen.queryByRole("alertdialog") === null).toBe(true));
  fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
});

test("of two dialogs that are siblings in the tree, Escape closes only the upper one", async () => {
  const closeLower = mock();
  function Two() {
    const [upper, setUpper] = useState(false);
    return (
      <>
        <Sheet open onClose={closeLower} title="下">
          <Button onClick={() => setUpper(true)}>打开</Button>
        </Sheet>
        <Dialog open={upper} onClose={() => setUpper(false)} title="上">
          内容
        </Dialog>
      </>
    );
  }
  render(
    <KitRoot>
      <Two />
    </KitRoot>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "打开" }));
  await screen.findByText("内容");
  // The key is sent to the body: without a focused element, both dialogs would get it.
  fireEvent.keyDown(document.body, { key: "Escape" });
  await waitFor(() => expect(screen.queryByText("内容") === null).toBe(true));
  expect(closeLower).not.toHaveBeenCalled();
});

test("a sheet has a name, and closing it returns the focus", async () => {
  function Screen() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <Button onClick={() => setOpen(true)}>编辑</Button>
        <Sheet open={open} onClose={() => setOpen(false)} title="编辑用户" />
      </>
    );
  }
  render(
    <KitRoot>
      <Screen />
    </KitRoot>,
  );
  const button = screen.getByRole("button", { name: "编辑" });
  button.focus();
  fireEvent.click(button);
  const sheet = await screen.findByRole("dialog", { name: "编辑用户" });
  fireEvent.click(screen.getByRole("button", { name: "关闭" }));
  await waitFor(() => expect(sheet.isConnected).toBe(false));
  await waitFor(() => expect(document.activeElement === button).toBe(true));
});

test("toasts wait politely and errors interrupt", async () => {
  render(<KitRoot>{null}</KitRoot>);
  act(() => {
    toast({ tone: "success", title: "已保存" });
    toastError(new Error("上游没有响应"));
  });
  const polite = await screen.findByText("已保存");
  expect(polite.closest("[aria-live]")?.getAttribute("aria-live")).toBe("polite");
  const urgent = await waitFor(() => screen.getAllByText("上游没有响应"));
  const announced = urgent.some(
    (element) => element.closest('[role="alert"], [aria-live="assertive"]') !== null,
  );
  expect(announced).toBe(true);
});

const shownToasts = () => document.querySelectorAll("[data-toast]:not([data-ending-style])");

test("the same error again shows once: it does not cover the page with copies", async () => {
  render(<KitRoot>{null}</KitRoot>);
  for (let count = 0; count < 3; count += 1) {
    act(() => toastFailure("保存失败", new Error("上游没有响应")));
  }
  await waitFor(() => expect(shownToasts()).toHaveLength(1));
  act(() => toastError(new Error("另一个错误")));
  await waitFor(() => expect(shownToasts()).toHaveLength(2));
});

test("a success closes the errors before it, and so does leaving the page", async () => {
  render(<KitRoot>{null}</KitRoot>);
  const titles = () => Array.from(shownToasts(), (shown) => shown.querySelector("p")?.textContent);
  act(() => toastError(new Error("上游没有响应")));
  await waitFor(() => expect(titles()).toEqual(["上游没有响应"]));
  act(() => toast({ tone: "success", title: "已保存" }));
  await waitFor(() => expect(titles()).toEqual(["已保存"]));
  // The success has closed the error's toast, so the same error makes a new one.
  act(() => toastError(new Error("上游没有响应")));
  await waitFor(() => expect(titles()).toEqual(["上游没有响应", "已保存"]));
  // A new toast stays, because it may be the reason why another page opens.
  act(leaveFaults);
  expect(titles()).toEqual(["上游没有响应", "已保存"]);
  const now = spyOn(performance, "now").mockReturnValue(performance.now() + 4_000);
  act(leaveFaults);
  now.mockRestore();
  await waitFor(() => expect(titles()).toEqual(["已保存"]));
});

test("the action of a toast runs once and closes the toast", async () => {
  const undo = mock();
  render(<KitRoot>{null}</KitRoot>);
  act(() => toast({ tone: "neutral", title: "已删除", action: { label: "撤销", onClick: undo } }));
  fireEvent.click(await screen.findByRole("button", { name: "撤销" }));
  expect(undo).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.queryByText("已删除") === null).toBe(true));
});

test("a disabled command says why and does nothing", async () => {
  const select = mock();
  render(
    <KitRoot>
      <Menu
        trigger={<Button>更多</Button>}
        items={[{ key: "copy", label: "复制", disabled: "已达上限", onSelect: select }]}
      />
    </KitRoot>,
  );
  fireEvent.click(screen.getByRole("button", { name: "更多" }));
  const item = await screen.findByRole("menuitem", { name: /复制/ });
  expect(item.textContent).toContain("已达上限");
  fireEvent.click(item);
  expect(select).not.toHaveBeenCalled();
});

/** Sets what the browser reports about the pointer: `coarse` means touch. */
function setPointer(kind: "coarse" | "fine"): void {
  const real = globalThis.matchMedia.bind(globalThis);
  const fixed = Object.create(real("all"), { matches: { value: kind === "coarse" } });
  globalThis.matchMedia = (query) => (query.includes("pointer") ? fixed : real(query));
}

function FormInSheet(props: { onClose: () => void }) {
  return (
    <Sheet open onClose={props.onClose} title="编辑">
      <input type="checkbox" aria-label="勾选" />
      <input aria-label="编号" readOnly />
      <input aria-label="名称" />
    </Sheet>
  );
}

test("a sheet focuses its first text field, and Escape there closes it", async () => {
  const close = mock();
  render(
    <KitRoot>
      <FormInSheet onClose={close} />
    </KitRoot>,
  );
  const field = await screen.findByRole("textbox", { name: "名称" });
  await waitFor(() => expect(document.activeElement === field).toBe(true));
  fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
});

test("if the focused field disappears, the focus stays in the sheet and Escape still closes it", async () => {
  const close = mock();
  function Changing() {
    const [loaded, setLoaded] = useState(false);
    return (
      <Sheet open onClose={close} title="编辑">
        {loaded ? <p>已加载</p> : <input aria-label="名称" onFocus={() => setLoaded(true)} />}
      </Sheet>
    );
  }
  render(
    <KitRoot>
      <Changing />
    </KitRoot>,
  );
  await screen.findByText("已加载");
  const sheet = screen.getByRole("dialog", { name: "编辑" });
  await waitFor(() => expect(sheet.contains(document.activeElement)).toBe(true));
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
});

test("on touch screens a sheet itself gets the focus, so that no keyboard appears", async () => {
  const { matchMedia } = globalThis;
  setPointer("coarse");
  const close = mock();
  render(
    <KitRoot>
      <FormInSheet onClose={close} />
    </KitRoot>,
  );
  const sheet = await screen.findByRole("dialog", { name: "编辑" });
  await waitFor(() => expect(document.activeElement === sheet).toBe(true));
  fireEvent.keyDown(sheet, { key: "Escape" });
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  globalThis.matchMedia = matchMedia;
});

test("Escape gives the focus back to the button that opened a sheet, whatever took it inside", async () => {
  function Page() {
    const [open, setOpen] = useState(false);
    return (
      <KitRoot>
        <Button onClick={() => setOpen(true)}>新建</Button>
        {open && (
          <Sheet open onClose={() => setOpen(false)} title="新建令牌">
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the case that lost the focus */}
            <input autoFocus aria-label="名称" />
          </Sheet>
        )}
      </KitRoot>
    );
  }
  render(<Page />);
  const button = screen.getByRole("button", { name: "新建" });
  button.focus();
  fireEvent.click(button);
  const name = await screen.findByLabelText("名称");
  await waitFor(() => expect(document.activeElement === name).toBe(true));
  fireEvent.keyDown(name, { key: "Escape" });
  await waitFor(() => expect(document.activeElement === button).toBe(true));
});

/** A page whose button opens a sheet, and is replaced by one with the words `later` at its end. */
function Replaced(props: { readonly words: string; readonly later: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  return (
    <main id="main" tabIndex={-1}>
      {isDone ? (
        <p>
          <Button onClick={() => setOpen(true)}>{props.later}</Button>
        </p>
      ) : (
        <Button onClick={() => setOpen(true)}>{props.words}</Button>
      )}
      {isOpen && (
        <Sheet
          open
          title="新令牌"
          onClose={() => {
            setDone(true);
            setOpen(false);
          }}
        />
      )}
    </main>
  );
}

for (const { later, place } of [
  { later: "添加令牌", place: "the button with the same words" },
  { later: "连接", place: "the page's content" },
]) {
  test(`the focus goes to ${place} when what had it is gone`, async () => {
    render(
      <KitRoot>
        <Replaced words="添加令牌" later={later} />
      </KitRoot>,
    );
    const opener = screen.getByRole("button", { name: "添加令牌" });
    opener.focus();
    fireEvent.click(opener);
    await screen.findByRole("dialog");
    fireEvent.click(screen.getByRole("button", { name: "关闭" }));
    await waitFor(() => expect(opener.isConnected).toBe(false));
    const goal = () => {
      const same = screen.getByRole("button", { name: later, hidden: true });
      return later === "添加令牌" ? same : document.querySelector("main");
    };
    await waitFor(() => expect(goal()?.contains(document.activeElement)).toBe(true));
  });
}

test("a mended error goes, and one that has just come stays", async () => {
  render(<KitRoot>{null}</KitRoot>);
  const titles = () => Array.from(shownToasts(), (shown) => shown.querySelector("p")?.textContent);
  act(() => toastError(new Error("价格无效")));
  await waitFor(() => expect(titles()).toEqual(["价格无效"]));
  act(mendFaults);
  expect(titles()).toEqual(["价格无效"]);
  const now = spyOn(performance, "now").mockReturnValue(performance.now() + 1_500);
  act(mendFaults);
  now.mockRestore();
  await waitFor(() => expect(titles()).toEqual([]));
});
