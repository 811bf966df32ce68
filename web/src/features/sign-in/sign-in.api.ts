import { queryOptions } from "@tanstack/react-query";
import { readSetup, setUp } from "contract/setup.ts";
import { login } from "contract/sign-in.ts";
import type { ShortUser } from "contract/users.ts";
import { call, CallError, callWhole } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { loadStatus } from "#api/status.ts";
import type { SetupForm } from "./setup-form.ts";

type Credentials = { readonly username: string; readonly password: string };

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: async ({ signal }) => await call(readSetup, {}, signal),
});

/**
 * Signs in and keeps who it is; each later call carries the id of that user.
 *
 * @throws CallError also when a second factor is needed, which this form does not ask for.
 */
export async function signIn({ username, password }: Credentials): Promise<ShortUser> {
  const { data, message } = await callWhole(login, { username, password });
  if ("require_2fa" in data) throw new CallError(message, null);
  keepSession(data);
  return data;
}

/** Makes the root account and signs it in. */
export async function setUpInstallation(form: SetupForm): Promise<void> {
  await call(setUp, form);
  await loadStatus();
  await signIn(form);
}
