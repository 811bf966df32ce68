import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider, useMutation } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { setupListWith } from "#widgets/testing/checklists.ts";
import { StartNote } from "./StartNote.tsx";

const root = {
  id: 1,
  username: "root",
  display_name: "",
  role: 100,
  status: 1,
  group: "default",
} as const;

function Change() {
  const { mutate } = useMutation({ mutationFn: async () => await Promise.resolve(null) });
  return <button onClick={() => mutate()}>add</button>;
}

test("the steps at the foot of the menu tick when a change is saved, without another screen", async () => {
  let done: readonly "provider"[] = [];
  const server = serve({
    "GET /api/setup/checklist": () =>
      Response.json({ success: true, message: "", data: setupListWith({ done: [...done] }) }),
  });
  await renderAt(
    "/channel",
    () => (
      <QueryClientProvider client={new QueryClient()}>
        <StartNote user={root} folded={false} onChoose={undefined} />
        <Change />
      </QueryClientProvider>
    ),
    { language: "en" },
  );
  await screen.findByText("0 of 9 steps");
  done = ["provider"];
  await act(async () => fireEvent.click(screen.getByText("add")));
  await waitFor(() => expect(screen.getByText("1 of 9 steps")).toBeTruthy());
  server.stop();
});
