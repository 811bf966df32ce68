/** Renders parts of the account screen with simulated server answers, for tests. */

import { screen, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { spyOn } from "bun:test";
import type { ReactNode } from "react";
import type { Session } from "@tollgate/contract/endpoints/sessions.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { patience } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { statusWith } from "#widgets/testing/status.ts";
import { selfWith } from "#widgets/testing/user.ts";

type Sent = { readonly call: string; readonly query: string; readonly body: unknown };

/**
 * The simulated answers, by `METHOD /path`: the data of a success, or the message of a refusal and
 * the field it names.
 */
type Answers = Readonly<
  Record<string, { readonly data?: unknown; readonly no?: string; readonly field?: string }>
>;

/** Whether a request is a change; the others only read what the page shows. */
const isChange = ({ call }: Sent) => !call.startsWith("GET ");

export async function openTab(
  tab: () => ReactNode,
  of: {
    readonly at?: string;
    readonly self?: Partial<User>;
    readonly status?: Partial<Status>;
    readonly sessions?: readonly Session[];
    readonly models?: readonly string[];
    /** Answers that replace or extend the usual ones. */
    readonly answers?: Answers;
  } = {},
) {
  const self = selfWith(of.self ?? {});
  const usual: Answers = {
    "GET /api/user/self": { data: self },
    "GET /api/user/sessions": { data: of.sessions ?? [] },
    "GET /api/user/self/groups": {
      data: {
        default: { ratio: 1, desc: "普通", description: "普通" },
        vip: { ratio: 0.8, desc: "", description: "" },
      },
    },
    "GET /api/user/models": { data: of.models ?? ["gpt-4o"] },
    "GET /api/user/aff": { data: self.aff_code },
    "GET /api/user/self/entries": {
      data: {
        items: [],
        page: 1,
        page_size: 20,
        total: 0,
        balance: 0,
        calls: 0,
        totals: [],
        days: [],
      },
    },
  };
  const sent: Sent[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    address: string,
    request: RequestInit,
  ) => {
    const { pathname, search } = new URL(address, "http://localhost");
    const call = `${request.method ?? "GET"} ${pathname}`;
    const body: unknown = typeof request.body === "string" ? JSON.parse(request.body) : null;
    sent.push({ call, query: search, body });
    const { data, no, field } = of.answers?.[call] ??
      usual[call] ?? { data: undefined, no: `no answer to ${call}` };
    return no === undefined
      ? Response.json({ success: true, message: "", data })
      : Response.json({ success: false, message: no, field });
    // Safe cast: `call` passes an address and options, the only form this function supports.
  }) as unknown as typeof fetch);
  const { id, username, display_name, role, status, group } = self;
  keepSession({ id, username, display_name, role, status, group });
  const shown = statusWith({ display_in_currency: true, ...of.status });
  statusStore.write({ kind: "ready", status: shown, error: null });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt(of.at ?? "/setting", () => (
    <QueryClientProvider client={queries}>{tab()}</QueryClientProvider>
  ));
  return {
    ...rendered,
    sent,
    changes: () => sent.filter(isChange),
    stop: () => fetching.mockRestore(),
  };
}

/** Finds a part of the account screen by its title, waiting until it is loaded. */
export const part = async (name: string) =>
  within(await screen.findByRole("region", { name }, patience));

export const dialog = async (role: "alertdialog" | "dialog" = "dialog") =>
  within(await screen.findByRole(role, {}, patience));
