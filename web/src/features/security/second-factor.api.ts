/** The API calls for second factors. */

import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from "@tanstack/react-query";
import {
  beginPasskey,
  disableTotp,
  enableTotp,
  finishPasskey,
  readSecondFactors,
  removePasskey,
  renamePasskey,
  renewRecoveryCodes,
  setUpTotp,
} from "@tollgate/contract/endpoints/second-factor.ts";
import { call } from "#api/call.ts";

export const secondFactorsQuery = queryOptions({
  queryKey: ["second-factors"],
  queryFn: async ({ signal }) => await call(readSecondFactors, {}, signal),
  placeholderData: keepPreviousData,
});

/**
 * Makes a secret for an authenticator app. The app counts as second factor only after
 * `useEnableTotp` has sent a code of it.
 */
export function useSetUpTotp() {
  return useMutation({ mutationFn: (password: string) => call(setUpTotp, { password }) });
}

/**
 * Activates the authenticator app. Resolves to recovery codes if it is the user's first second
 * factor, otherwise to none.
 */
export function useEnableTotp() {
  return useFactorChange(async (code: string) => {
    return (await call(enableTotp, { code })).recovery_codes;
  });
}

export function useDisableTotp() {
  return useFactorChange(async () => await call(disableTotp, {}));
}

export function useRenewRecoveryCodes() {
  return useFactorChange(async () => (await call(renewRecoveryCodes, {})).recovery_codes);
}

export type NewPasskey = { readonly name: string; readonly password: string };

/**
 * Has the browser make a passkey, and adds it. Resolves to recovery codes as `useEnableTotp` does;
 * undefined: the user closed the browser's dialog.
 */
export function useAddPasskey() {
  return useFactorChange(async ({ name, password }: NewPasskey) => {
    const { ticket, options } = await call(beginPasskey, { password });
    const { startRegistration } = await import("@simplewebauthn/browser");
    let credential;
    try {
      credential = await startRegistration({
        // Cast: the server makes these options with the server half of the same library.
        optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
      });
    } catch {
      return undefined;
    }
    return (await call(finishPasskey, { ticket, name, credential })).recovery_codes;
  });
}

export function useRenamePasskey() {
  return useFactorChange(async (passkey: { readonly id: number; readonly name: string }) => {
    await call(renamePasskey, passkey);
  });
}

export function useRemovePasskey() {
  return useFactorChange(async (id: number) => await call(removePasskey, { id }));
}

function useFactorChange<Input, Result>(
  run: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => queries.invalidateQueries({ queryKey: secondFactorsQuery.queryKey }),
  });
}
