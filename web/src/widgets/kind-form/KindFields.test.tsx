import { act, fireEvent, screen } from "#testing/dom.ts";
import { expect, mock, test } from "bun:test";
import {
  address,
  choice,
  define,
  type Field,
  flag,
  hiddenText,
  whole,
} from "@tollgate/contract/kinds/kinds.ts";
import { z } from "zod";
import { renderAt } from "#testing/render.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { faultsOf, type FormField, sentValue } from "./kind-fields.ts";
import { KindFields } from "./KindFields.tsx";

const definitions: Readonly<Record<string, Field>> = {
  url: address({ placeholder: "https://a.test" }),
  secret: { ...hiddenText(5), required: "请填写此项" },
  minutes: whole(1, 60, 5, "minutes"),
  loud: flag(false),
  tone: choice(["low", "high"], "low"),
  email: define({ type: "email", schema: z.string(), defaultValue: "", standIn: "own-email" }),
};

function fieldsWith(isSet: boolean): FormField[] {
  return Object.entries(definitions).map(([name, field]) => ({
    name,
    field,
    label: `label of ${name}`,
    help: name === "url" ? "help of url" : null,
    isSet: field.secret && isSet,
  }));
}

type Texts = Readonly<Record<string, string>>;
const empty = { url: "", secret: "", minutes: "5", loud: "false", tone: "low", email: "" };

async function draw(of: { readonly isSet?: boolean; readonly ownEmail?: string } = {}) {
  const fields = fieldsWith(of.isSet === true);
  const onSubmit = mock(async (_sent: Texts) => {});
  const schema = z.record(z.string(), z.string()).check(({ value, issues }) => {
    for (const [path, message] of faultsOf(fields, value)) {
      issues.push({ code: "custom", path: [path], message, input: value });
    }
  });
  await renderAt(
    "/x",
    () => (
      <PlainForm<Texts, Texts> schema={schema} values={empty} onSubmit={onSubmit}>
        <KindFields
          fields={fields}
          standIns={{ "own-email": { value: of.ownEmail ?? "", missing: "no address" } }}
        />
      </PlainForm>
    ),
    { language: "zh" },
  );
  return { onSubmit };
}

const control = (name: string) => screen.getByLabelText<HTMLInputElement>(`label of ${name}`);
const type = async (name: string, value: string) =>
  await act(async () => void fireEvent.change(control(name), { target: { value } }));
const save = async () =>
  await act(async () => void fireEvent.click(screen.getByRole("button", { name: "保存" })));

test("each field type has its control, unit, help and example", async () => {
  await draw();
  expect(control("url").placeholder).toBe("https://a.test");
  const described = control("url").getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(described)?.textContent).toBe("help of url");
  expect(control("secret").type).toBe("password");
  expect([control("minutes").value, control("minutes").inputMode]).toEqual(["5", "decimal"]);
  expect(screen.getByText("分钟")).toBeTruthy();
  expect(screen.getByRole("switch", { name: "label of loud" })).toBeTruthy();
  expect(screen.getByRole("combobox", { name: "label of tone" })).toBeTruthy();
  expect(control("email").type).toBe("email");
});

test("an invalid value is explained under its field, and nothing is sent", async () => {
  const { onSubmit } = await draw();
  await type("url", "a.test");
  await type("minutes", "61");
  await save();
  const said = (name: string) =>
    (control(name).getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .at(-1);
  expect(said("url")).toBe("无效的地址");
  expect(said("secret")).toBe("请填写此项");
  expect(said("minutes")).toBe("必须是 1 到 60 之间的整数");
  expect(control("url").getAttribute("aria-invalid")).toBe("true");
  expect(onSubmit).not.toHaveBeenCalled();
});

test("a saved secret needs no typing, and is replaced only after the user asks for it", async () => {
  const { onSubmit } = await draw({ isSet: true });
  expect(screen.queryByLabelText("label of secret", { selector: "input" })).toBeNull();
  await type("url", "https://b.test");
  await save();
  expect(onSubmit).toHaveBeenCalledWith({ ...empty, url: "https://b.test" });
});

test("an empty field shows the value used instead, or that there is none", async () => {
  await draw({ ownEmail: "me@a.test" });
  expect([control("email").placeholder, screen.queryByText("no address")]).toEqual([
    "me@a.test",
    null,
  ]);
  await draw();
  expect(screen.getByText("no address")).toBeTruthy();
  await type("email", "other@a.test");
  expect(screen.queryByText("no address")).toBeNull();
});

test("values are sent with their type, and an invalid value as the saved one", () => {
  const [url, , minutes, loud] = fieldsWith(false);
  const sent = (field: FormField | undefined, typed: object) =>
    field === undefined ? undefined : sentValue(field, { ...typed }, "saved");
  expect(sent(minutes, { minutes: " 7 " })).toBe(7);
  expect(sent(loud, { loud: "true" })).toBe(true);
  expect(sent(url, { url: "" })).toBe("");
  expect(sent(url, { url: "b.test" })).toBe("saved");
});
