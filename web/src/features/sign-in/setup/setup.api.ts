/** The calls of set-up, in a file of their own: a sign-in does not load them. */

import { queryOptions } from "@tanstack/react-query";
import { readSetup, setUp } from "@tollgate/contract/endpoints/setup.ts";
import { call } from "#api/call.ts";
import { loadStatus } from "#api/status.ts";
import type { SetupForm } from "./setup-form.ts";
import { signIn } from "#features/sign-in/sign-in.api.ts";

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: async ({ signal }) => await call(readSetup, {}, signal),
});

/** Creates the root account of a new installation, then signs in as root. */
export async function setUpInstallation(form: SetupForm): Promise<void> {
  await call(setUp, form);
  await loadStatus();
  await signIn({ ...form, turnstile: "" });
}
