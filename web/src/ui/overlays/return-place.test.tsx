import { fireEvent, render, screen, waitFor } from "#testing/dom.ts";
import "#testing/texts.ts";
import { expect, test } from "bun:test";
import { useState } from "react";
import { Button } from "#ui/controls/Button.tsx";
import { KitRoot } from "./KitRoot.tsx";
import { Sheet } from "./Sheet.tsx";

test("the focus goes to the page's content where a sheet was opened by the address", async () => {
  function Page() {
    const [open, setOpen] = useState(true);
    return (
      <KitRoot>
        <main tabIndex={-1}>
          <Button>添加渠道</Button>
        </main>
        {open && <Sheet open title="添加渠道" onClose={() => setOpen(false)} />}
      </KitRoot>
    );
  }
  render(<Page />);
  await screen.findByRole("dialog");
  fireEvent.click(screen.getByRole("button", { name: "关闭" }));
  const main = document.querySelector("main");
  await waitFor(() => expect(main?.contains(document.activeElement)).toBe(true));
});
