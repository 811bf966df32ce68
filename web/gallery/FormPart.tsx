import { useState } from "react";
import { z } from "zod";
import { Button } from "#ui/controls/Button.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

type Book = {
  title: string;
  shelf: string;
  copies: number | null;
  lendable: boolean;
  note: string;
};

const F = fieldsOf<Book>();
const empty: Book = { title: "", shelf: "", copies: 1, lendable: true, note: "" };
const filled: Book = { ...empty, title: "红楼梦 The Story of the Stone", shelf: "b", copies: 3 };

/** Three forms: an empty one and a filled one on a page, and a filled one in a sheet. */
export function FormPart() {
  const s = useSample();
  const [open, setOpen] = useState(false);
  const rule = s("请填写书名", "Enter a title");
  const schema = z.object({
    title: z.string().trim().min(1, rule),
    shelf: z.string(),
    copies: z.number(rule).int().min(1),
    lendable: z.boolean(),
    note: z.string().max(20, s("最多 20 个字", "20 characters at most")),
  });
  return (
    <Examples>
      <Example title="empty; save shows the faults">
        <PlainForm schema={schema} values={empty} onSubmit={saved}>
          <Fields />
        </PlainForm>
      </Example>
      <Example title="filled">
        <PlainForm schema={schema} values={filled} onSubmit={saved}>
          <Fields />
        </PlainForm>
      </Example>
      <Example title="in a sheet: asks before closing, Ctrl/⌘ Enter saves">
        <Button onClick={() => setOpen(true)}>{s("打开", "Open")}</Button>
        <FormSheet
          open={open}
          title={s("编辑图书", "Edit book")}
          schema={schema}
          values={filled}
          onSubmit={saved}
          onClose={() => setOpen(false)}
        >
          <FormSection id="basic" title={s("基本信息", "Basics")}>
            <Fields />
          </FormSection>
          <FormSection id="more" title={s("更多", "More")} folded>
            <F.Textarea name="note" label={s("更多备注", "More notes")} />
          </FormSection>
        </FormSheet>
      </Example>
    </Examples>
  );
}

async function saved(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 600));
}

function Fields() {
  const s = useSample();
  const shelves = [
    { value: "a", label: s("甲架", "Shelf A") },
    { value: "b", label: s("乙架", "Shelf B") },
  ];
  return (
    <>
      <F.Text name="title" label={s("书名", "Title")} required />
      <F.Select name="shelf" label={s("书架", "Shelf")} items={shelves} />
      <F.Number
        name="copies"
        label={s("册数", "Copies")}
        help={s("至少一册", "At least one")}
        unit={s("册", "copies")}
      />
      <F.Switch name="lendable" label={s("可以外借", "May be lent")} />
      <F.Textarea name="note" label={s("备注", "Note")} />
    </>
  );
}
