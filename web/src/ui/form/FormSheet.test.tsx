import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, mock, spyOn, test } from "bun:test";
import { useState } from "react";
import { z } from "zod";
import { renderAt } from "#testing/render.tsx";
import { keepOpenDrafts } from "./draft.ts";
import { useRefusals } from "./Field.tsx";
import { fieldsOf } from "./fields.tsx";
import { FormSection } from "./FormSection.tsx";
import { FormSheet } from "./FormSheet.tsx";

type Form = { name: string; note: string; secret: string };
const F = fieldsOf<Form>();
const empty: Form = { name: "", note: "", secret: "" };
const schema = z.object({
  name: z.string().trim().min(1),
  note: z.string().max(3),
  secret: z.string(),
});

class Refused extends Error {
  readonly field: string | null;
  readonly status: number;
  constructor(message: string, field: string | null, status = 200) {
    super(message);
    this.field = field;
    this.status = status;
  }
}

type Options = {
  readonly onSubmit?: (value: Form) => Promise<unknown>;
  readonly checkStale?: () => Promise<boolean | "gone">;
  readonly values?: Form;
  /** What the button "试一试" in the form is refused with; undefined: there is no such button. */
  readonly refusal?: Refused;
};

/** A button in the form that asks the server about the form's values without saving them. */
function Trial({ refusal }: { refusal: Refused }) {
  const { showRefusal } = useRefusals();
  return (
    <button type="button" onClick={() => showRefusal(refusal)}>
      试一试
    </button>
  );
}

/** A page with a button that opens the sheet under test. */
function Part({ onSubmit = async () => {}, checkStale, values = empty, refusal }: Options) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        打开
      </button>
      <FormSheet
        open={open}
        title="表单"
        schema={schema}
        values={values}
        onSubmit={onSubmit}
        onClose={() => setOpen(false)}
        {...(checkStale === undefined ? {} : { checkStale })}
      >
        <FormSection id="basic" title="基本">
          <F.Text name="name" label="名称" help="用来分辨" required />
        </FormSection>
        <FormSection id="more" title="更多" folded>
          <F.Text name="note" label="备注" />
          <F.Password name="secret" label="密码" />
          {refusal !== undefined && <Trial refusal={refusal} />}
        </FormSection>
      </FormSheet>
    </>
  );
}

async function open(options: Options = {}) {
  const rendered = await renderAt("/things?open=new", () => <Part {...options} />);
  await press("打开");
  return rendered;
}

const press = async (name: string) =>
  await act(async () => void fireEvent.click(screen.getByRole("button", { name })));
const type = async (label: string, value: string) =>
  await act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const isOpen = () => screen.queryByRole("dialog", { name: "表单" }) !== null;
const nameLabel = "名称 *";

test("typed values are sent as the schema makes them, and the sheet closes", async () => {
  const onSubmit = mock(async () => {});
  await open({ onSubmit });
  await type(nameLabel, "  a ");
  await press("保存");
  expect(onSubmit).toHaveBeenCalledWith({ name: "a", note: "", secret: "" });
  await waitFor(() => expect(isOpen()).toBe(false));
});

test("Ctrl Enter and ⌘ Enter save from any field, and from the head of the sheet", async () => {
  for (const modifier of [{ ctrlKey: true }, { metaKey: true }]) {
    const onSubmit = mock(async () => {});
    const { unmount } = await open({ onSubmit });
    await type(nameLabel, "a");
    await act(async () => void fireEvent.keyDown(field("备注"), { key: "Enter", ...modifier }));
    expect(onSubmit).toHaveBeenCalledTimes(1);
    await press("打开");
    await type(nameLabel, "b");
    const head = screen.getByRole("button", { name: "关闭" });
    await act(async () => void fireEvent.keyDown(head, { key: "Enter", ...modifier }));
    expect(onSubmit).toHaveBeenCalledTimes(2);
    unmount();
  }
});

test("A-438: an invalid form opens the folded section, counts the errors, focuses the first and names all", async () => {
  const onSubmit = mock(async () => {});
  await open({ onSubmit });
  await type("备注", "1234");
  expect(screen.getByRole("button", { name: "更多" }).getAttribute("aria-expanded")).toBe("false");
  await press("保存");

  expect(onSubmit).not.toHaveBeenCalled();
  const more = screen.getByRole("button", { name: /更多/ });
  expect(more.getAttribute("aria-expanded")).toBe("true");
  expect(more.textContent).toContain("1 处有误");
  expect(screen.getAllByText("请检查输入").length).toBeGreaterThan(0);
  expect(screen.getAllByText("名称、备注").length).toBeGreaterThan(0);
  await waitFor(() => expect(document.activeElement).toBe(field(nameLabel)));
  expect(field(nameLabel).getAttribute("aria-invalid")).toBe("true");
  const described = field(nameLabel).getAttribute("aria-describedby")?.split(" ") ?? [];
  expect(described.map((id) => document.getElementById(id)?.textContent)).toEqual([
    "用来分辨",
    "此项必填",
  ]);
});

test("an error disappears when the value is corrected", async () => {
  await open();
  await press("保存");
  expect(screen.queryByText("此项必填")).not.toBeNull();
  await type(nameLabel, "a");
  await waitFor(() => expect(screen.queryByText("此项必填")).toBeNull());
});

test("a refusal is shown at its field, even in a folded section, and the sheet stays open", async () => {
  await open({
    onSubmit: async () => {
      throw new Refused("备注已被占用", "note");
    },
  });
  await type(nameLabel, "a");
  await press("保存");
  expect(screen.getByRole("button", { name: /更多/ }).getAttribute("aria-expanded")).toBe("true");
  expect(screen.getByText("备注已被占用").id).toBe(`${field("备注").id}-error`);
  expect(isOpen()).toBe(true);
  expect(field(nameLabel).value).toBe("a");
});

test("what a trial of unsaved values is refused for is shown at its field until that changes", async () => {
  await open({ refusal: new Refused("上游拒绝了该密钥", "name") });
  await press("更多");
  await press("试一试");

  await waitFor(() => expect(document.activeElement).toBe(field(nameLabel)));
  const described = field(nameLabel).getAttribute("aria-describedby") ?? "";
  expect(described.split(" ")).toContain(screen.getByText("上游拒绝了该密钥").id);
  await type(nameLabel, "other");
  expect(screen.queryByText("上游拒绝了该密钥")).toBeNull();
});

test("a refusal that names no field, or one that is not here, is shown above the form and comes into view", async () => {
  for (const named of [null, "elsewhere"]) {
    const { unmount } = await open({
      onSubmit: async () => {
        throw new Refused("额度不足", named);
      },
    });
    await type(nameLabel, "a");
    const shown = spyOn(HTMLElement.prototype, "scrollIntoView").mockReset();
    await press("保存");
    const alert = screen.getByText("额度不足").closest("[role=alert]");
    expect(alert).not.toBeNull();
    // The button may stand far below.
    expect(
      shown.mock.contexts.some((part) => part instanceof HTMLElement && part.contains(alert)),
    ).toBe(true);
    shown.mockRestore();
    expect(isOpen()).toBe(true);
    unmount();
  }
});

test("A-436: a second submit while the first runs sends nothing, silently", async () => {
  let finish = () => {};
  const onSubmit = mock(() => new Promise<void>((resolve) => (finish = resolve)));
  await open({ onSubmit });
  await type(nameLabel, "a");
  await press("保存");
  await press("保存");
  expect(document.querySelectorAll("[data-toast]")).toBeEmpty();
  await act(async () => void fireEvent.keyDown(field("备注"), { key: "Enter", ctrlKey: true }));
  expect(onSubmit).toHaveBeenCalledTimes(1);
  await act(async () => finish());
  await waitFor(() => expect(isOpen()).toBe(false));
});

test("closing an unchanged form asks nothing", async () => {
  await open();
  await press("取消");
  await waitFor(() => expect(isOpen()).toBe(false));
});

test("closing a changed form asks; staying keeps the changes, discarding loses them", async () => {
  await open();
  await type(nameLabel, "typed");
  await press("关闭");
  expect(screen.queryByText("放弃修改？")).not.toBeNull();
  await act(async () => {
    const inQuestion = screen.getByRole("alertdialog").querySelectorAll("button");
    const cancel = [...inQuestion].find((button) => button.textContent === "继续编辑");
    if (cancel !== undefined) fireEvent.click(cancel);
  });
  expect(isOpen()).toBe(true);
  expect(field(nameLabel).value).toBe("typed");

  await press("关闭");
  await press("放弃");
  await waitFor(() => expect(isOpen()).toBe(false));
  await press("打开");
  expect(field(nameLabel).value).toBe("");
});

test("a new form never shows the values of the last one", async () => {
  await open();
  await type(nameLabel, "first");
  await press("保存");
  await waitFor(() => expect(isOpen()).toBe(false));
  await press("打开");
  expect(field(nameLabel).value).toBe("");
});

test("a record that changed elsewhere is overwritten only after a choice", async () => {
  const onSubmit = mock(async () => {});
  await open({ onSubmit, checkStale: async () => true, values: { ...empty, name: "a" } });
  await type("备注", "x");
  await press("保存");
  expect(screen.queryByText("这条记录已在别处被修改")).not.toBeNull();
  expect(onSubmit).not.toHaveBeenCalled();
  await press("覆盖并保存");
  await waitFor(() => expect(onSubmit).toHaveBeenCalledTimes(1));
});

test("a record that is gone is not saved, and its sheet closes without a question", async () => {
  const onSubmit = mock(async () => {});
  await open({ onSubmit, checkStale: async () => "gone", values: { ...empty, name: "a" } });
  await type("备注", "x");
  await press("保存");
  expect(screen.queryByText("这条记录已在别处被修改")).toBeNull();
  await waitFor(() => expect(isOpen()).toBe(false));
  expect(onSubmit).not.toHaveBeenCalled();
});

test("after a 401 the draft comes back at the same address, without its secrets", async () => {
  const first = await open();
  await type(nameLabel, "typed");
  await type("密码", "hunter2");
  keepOpenDrafts();
  expect(JSON.stringify(Object.values(sessionStorage))).not.toContain("hunter2");
  first.unmount();

  await open();
  expect(field(nameLabel).value).toBe("typed");
  expect(field("密码").value).toBe("");
  expect(screen.queryByText("已恢复登录前未保存的内容")).not.toBeNull();
  await press("放弃");
  expect(field(nameLabel).value).toBe("");
});

test("a save refused with 401 keeps the draft too, and a draft is restored once", async () => {
  const first = await open({
    onSubmit: async () => {
      throw new Refused("登录已过期", null, 401);
    },
  });
  await type(nameLabel, "typed");
  await press("保存");
  first.unmount();

  const second = await open();
  expect(field(nameLabel).value).toBe("typed");
  second.unmount();
  await open();
  expect(field(nameLabel).value).toBe("");
});

test("Back from a changed form asks first", async () => {
  const { goTo, address } = await open();
  await type(nameLabel, "typed");
  await goTo("/elsewhere");
  await waitFor(() => expect(screen.queryByText("放弃修改？")).not.toBeNull());
  expect(address()).toBe("/things?open=new");
});
