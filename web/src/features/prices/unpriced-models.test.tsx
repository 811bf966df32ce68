import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { readPriceMaps } from "./price-table.ts";
import { UnpricedModels } from "./UnpricedModels.tsx";

let stop = () => {};
afterEach(() => stop());

test("of many models without a price, those that are not listed are counted", async () => {
  const models = Array.from({ length: 200 }, (_, index) => `model-${index}`);
  ({ stop } = serve({ "GET /api/channel/models_enabled": { data: models } }));
  const maps = readPriceMaps(() => "{}");
  if (!maps.ok) throw new Error(maps.message);
  await renderAt("/setting", () => (
    <QueryClientProvider client={new QueryClient()}>
      <UnpricedModels maps={maps.value} onAdd={() => undefined} />
    </QueryClientProvider>
  ));
  expect((await screen.findByRole("link", { name: /还有 180 个/ })).getAttribute("href")).toContain(
    "show=unpriced",
  );
});
