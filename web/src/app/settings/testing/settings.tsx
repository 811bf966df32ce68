/** Opens the settings screen with a fake server, for tests. */

import { screen, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { spyOn } from "bun:test";
import { isOptionName, options, showOption } from "@tollgate/contract/options/options.ts";
import { type Role, role } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { SettingsScreen } from "#app/settings/SettingsScreen.tsx";

type Sent = { readonly method: string; readonly path: string; readonly body: unknown };

/**
 * Opens the settings screen. The fake server answers as the real one would with default options;
 * `refuse` gives the reason for refusing an option.
 */
export async function openSettings(
  at: string,
  options_: {
    readonly as?: Role;
    readonly stored?: Readonly<Record<string, string>>;
    readonly refuse?: Readonly<Record<string, string>>;
    /** The secret options that have a saved value. */
    readonly secretsSet?: readonly string[];
    /** Answers that replace the fake server's usual ones, by `METHOD /path`. */
    readonly answers?: Readonly<Record<string, { readonly data?: unknown; readonly no?: string }>>;
    readonly language?: Language;
  } = {},
) {
  const { as = role.enum.root, refuse = {} } = options_;
  const values = new Map<string, string>(
    Object.keys(options)
      .filter(isOptionName)
      .filter((name) => !options[name].secret)
      // The default written by the option's own schema, so that the text is valid.
      .map((name) => [name, showOption(name, options[name].defaultValue as never)]),
  );
  for (const [key, value] of Object.entries(options_.stored ?? {})) values.set(key, value);
  const sent: Sent[] = [];
  const secretsSet = new Set(options_.secretsSet);
  const answer = (data: unknown, message = "") =>
    Response.json({ success: message === "", message, data });
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    url: string,
    request: RequestInit,
  ) => {
    const { pathname, search } = new URL(url, "http://localhost");
    const method = request.method ?? "GET";
    const body: unknown = typeof request.body === "string" ? JSON.parse(request.body) : null;
    if (method !== "GET") sent.push({ method, path: pathname + search, body });
    const given = options_.answers?.[`${method} ${pathname}`];
    if (given !== undefined) return answer(given.data, given.no);
    if (pathname === "/api/option/" && method === "GET") {
      const data = [...values].map(([key, value]) => ({ key, value }));
      return Response.json({ success: true, message: "", data, secrets_set: [...secretsSet] });
    }
    if (pathname === "/api/option/") {
      const { key, value, clear } = body as { key: string; value: string; clear?: boolean };
      if (clear === true) secretsSet.delete(key);
      const reason = refuse[key];
      if (reason !== undefined) return answer(undefined, reason);
      if (values.has(key)) values.set(key, value);
      return answer(undefined);
    }
    if (pathname === "/api/option/rest_model_ratio") return answer(undefined);
    if (pathname === "/api/channel/models_enabled") return answer(["gpt-4o-mini", "no-price"]);
    if (pathname === "/api/user/models") return answer(["gpt-4o-mini"]);
    return answer(undefined, "没有这个接口");
  }) as unknown as typeof fetch);
  keepSession({ id: 1, username: "root", display_name: "", role: as, status: 1, group: "default" });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { language = "zh" } = options_;
  const screen_ = () => (
    <QueryClientProvider client={queries}>
      <SettingsScreen />
    </QueryClientProvider>
  );
  const rendered = await renderAt(at, screen_, { language });
  return {
    ...rendered,
    sent,
    puts: () => sent.map(({ body }) => body),
    stop: () => fetching.mockRestore(),
  };
}

export const section = async (name: string) =>
  within(await screen.findByRole("region", { name: new RegExp(`^${name}`) }));
