import { act, renderHook, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, spyOn, test } from "bun:test";
import type { ReactNode } from "react";
import { readChannels, useChannels, usePatchChannel } from "./channels.api.ts";
import { channelSearch } from "./channels.search.ts";
import { channelWith } from "./testing/channel.ts";

test("an optimistic edit of a channel shows at once, and is rolled back when the server refuses it", async () => {
  const refusal = Promise.withResolvers<Response>();
  const asked: string[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    _address: string,
    { method = "GET" }: RequestInit,
  ) => {
    asked.push(method);
    if (method !== "GET") return await refusal.promise;
    // Only the first read is answered, so that a later one cannot restore the status before the
    // test looks.
    if (asked.length > 1) return await new Promise<never>(() => {});
    const data = [channelWith({ id: 7, status: 1 })];
    return Response.json({ success: true, message: "", data, total: 1 });
    // Safe cast: `call` passes an address and options, the only form this function supports.
  }) as unknown as typeof fetch);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { result } = renderHook(
    () => ({ list: useChannels(channelSearch.parse({}), ""), patch: usePatchChannel() }),
    {
      wrapper: ({ children }: { readonly children: ReactNode }) => (
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      ),
    },
  );
  const status = () => result.current.list.data?.items[0]?.status;
  await waitFor(() => expect(status()).toBe(1));

  let patching: Promise<unknown> = Promise.resolve();
  await act(async () => {
    patching = result.current.patch({ id: 7, status: 2 }).catch((error: unknown) => error);
  });
  await waitFor(() => expect(status()).toBe(2));

  await act(async () => {
    refusal.resolve(Response.json({ success: false, message: "无权操作" }));
  });
  await waitFor(() => expect(asked).toEqual(["GET", "PUT", "GET"]));
  expect(status()).toBe(1);
  fetching.mockRestore();
  queries.clear();
  void patching;
});

test("a key in the search field stands in no address: the list has its mask, the request its body", async () => {
  const key = "sk-Rc6l9abcdefghijklmnop";
  const search = channelSearch.parse({ keyword: key });
  expect(search.keyword).toBe("sk-Rc6l••••mnop");
  expect(channelSearch.parse({ keyword: "north-1" }).keyword).toBe("north-1");
  const sent: { address: string; init: RequestInit }[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    address: string,
    init: RequestInit,
  ) => {
    sent.push({ address, init });
    return Response.json({ success: true, message: "", data: [], total: 0 });
    // Safe cast: `call` passes an address and options, the only form this function supports.
  }) as unknown as typeof fetch);
  await readChannels(search, "", new AbortController().signal);
  expect(sent.map(({ address, init }) => [address, init.method])).toEqual([
    ["/api/channel/search", "POST"],
  ]);
  expect(JSON.parse(String(sent[0]?.init.body))).toMatchObject({ keyword: key });
  fetching.mockRestore();
});
