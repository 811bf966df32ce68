/** What is typed on the settings page and not saved yet. */

import { processorNeeds } from "@tollgate/contract/kinds/payment-processors.ts";
import { useQuery } from "@tanstack/react-query";
import { type OptionName, options } from "@tollgate/contract/options/options.ts";
import { useBlocker } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import { useUnloadGuard } from "#ui/form/form-effects.ts";
import { isLeavingToSignIn } from "#ui/form/draft.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { toast, toastError, toastFailure, toastSaved } from "#ui/overlays/toast.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import type { OptionDrafts, OptionTextMap } from "#widgets/option-form/drafts.ts";
import { type BotCheck, useBotCheckOf } from "#widgets/sign-in/use-bot-check.tsx";
import {
  changedNames,
  type Fault,
  faultOf,
  groupNames,
  isOfBotCheck,
  plain,
  saveOrder,
  triedSiteKey,
  withoutName,
} from "./option-drafts.ts";
import { optionText } from "#widgets/option-form/option-texts.ts";
import { optionsQuery, useClearSecret, useReloadOptions, useSaveOptions } from "./options.api.ts";

type Errors = Partial<Readonly<Record<OptionName, string>>>;

const none: OptionTextMap = {};

/**
 * Returns the options and their unsaved changes. The changes last as long as the screen, also while
 * the user switches tabs or searches.
 */
/** The options that turn online payment on. */
const paymentNeeds: ReadonlySet<string> = new Set(Object.values(processorNeeds).flat());

export function useOptionDrafts() {
  const query = useQuery(optionsQuery);
  const stored = query.data?.texts ?? none;
  const clearSecret = useSecretClearing();
  const [typed, setTyped] = useState<OptionTextMap>(none);
  const [errors, setErrors] = useState<Errors>({});
  // The newest drafts. They are in a ref, because a save may follow a change within the same event,
  // before the next render.
  const latest = useRef(typed);
  const reload = useReloadOptions();
  const botCheck = useBotCheckOf(triedSiteKey(stored, typed));
  const save = useSaver(
    stored,
    latest,
    setErrors,
    (names) => put(without(latest.current, names)),
    botCheck.take,
  );
  const changed = changedNames(namesOf(typed), stored, typed);
  useLeaveGuard(changed.length > 0);

  function put(next: OptionTextMap) {
    latest.current = next;
    setTyped(next);
  }

  const drafts: OptionDrafts = {
    stored,
    textOf: (name) => typed[name] ?? stored[name] ?? "",
    change(name, text) {
      put({ ...latest.current, [name]: text });
      setErrors((before) => without(before, [name]));
    },
    revert(names) {
      put(without(latest.current, names));
      setErrors((before) => without(before, names));
    },
    changedOf: (names) => changed.filter((name) => names.includes(name)),
    errorOf: (name) => errors[name],
    isSecretSet: (name) => query.data?.secretsSet.includes(name) === true,
    clearSecret,
    reload,
    botTrial: botCheck.field,
    ...save,
  };
  return { query, drafts, changedCount: changed.length };
}

/**
 * Removes a stored secret, after a confirmation because it cannot be restored, and shows the
 * result.
 */
function useSecretClearing(): OptionDrafts["clearSecret"] {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync } = useClearSecret();
  return async (name) => {
    const { label } = optionText(name, t);
    const agreed = await confirm({
      title: t("settings.secretClearTitle", { name: label }),
      body: t("settings.secretClearBody"),
      confirmLabel: t("settings.secretClear"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      await mutateAsync(name);
      toastSaved(t("settings.secretCleared", { name: label }));
    } catch (error) {
      toastFailure(t("settings.saveFailed"), error);
    }
  };
}

/**
 * Asks for a confirmation before the user leaves the screen or closes the page with unsaved
 * changes.
 */
function useLeaveGuard(asks: boolean): void {
  const t = useT();
  const confirm = useConfirm();
  useUnloadGuard(asks);
  useBlocker({
    disabled: !asks,
    enableBeforeUnload: false,
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || isLeavingToSignIn()) return false;
      return !(await confirm({
        title: t("settings.leaveTitle"),
        body: t("settings.leaveBody"),
        confirmLabel: t("settings.discard"),
        tone: "danger",
      }));
    },
  });
}

function useSaver(
  stored: OptionTextMap,
  latest: { readonly current: OptionTextMap },
  setErrors: (next: (before: Errors) => Errors) => void,
  forget: (names: readonly OptionName[]) => void,
  takeBotToken: BotCheck["take"],
): Pick<OptionDrafts, "save" | "isSaving"> {
  const t = useT();
  const { mutateAsync, isPending } = useSaveOptions();
  const faultText = useMemo(
    () =>
      (fault: Fault): string =>
        fault.kind === "topup-json" ? t("settings.topupNotJson") : showMessage(fault.message, t),
    [t],
  );

  async function save(names: readonly OptionName[]) {
    // Payment providers report payments to an address below the public server address, which is
    // missing here.
    if (names.some((name) => paymentNeeds.has(name)) && (stored.ServerAddress ?? "") === "") {
      toast({ tone: "danger", title: t("settings.serverAddressFirst") });
      return;
    }
    const changed = changedNames(names, stored, latest.current);
    if (changed.length === 0) {
      toast({ tone: "warning", title: t("settings.nothingChanged") });
      return;
    }
    const texts = saveOrder(changed).map((name) => ({ name, text: latest.current[name] ?? "" }));
    const faults = texts.flatMap(({ name, text }): [OptionName, string][] => {
      const fault = faultOf(name, text);
      return fault === undefined ? [] : [[name, faultText(fault)]];
    });
    if (faults.length > 0) {
      setErrors((before) => ({ ...before, ...Object.fromEntries(faults) }));
      toast({ tone: "danger", title: t("ui.formCheckInput"), description: faults[0]?.[1] });
      showField(faults[0]?.[0]);
      return;
    }
    const token = changed.some(isOfBotCheck) ? tokenOf(takeBotToken) : "";
    if (token === undefined) return;
    const sent = texts.map(({ name, text }) => ({
      name,
      text: options[name].secret ? text : plain(name, text),
      ...(isOfBotCheck(name) && token !== "" ? { token } : {}),
    }));
    const failures = await mutateAsync(sent);
    const refused = new Set(failures.map(({ name }) => name));
    forget(changed.filter((name) => !refused.has(name)));
    const reasons = failures.map(({ name, error }) => [
      name,
      withoutName(name, describeError(error).title),
    ]);
    setErrors((before) => ({ ...without(before, changed), ...Object.fromEntries(reasons) }));
    const [first] = failures;
    if (first === undefined) {
      toastSaved(t("settings.saved", { count: changed.length }));
      return;
    }
    // The toast shows only the first reason; every reason is shown at its own field.
    const isPart = failures.length < changed.length;
    toastFailure(isPart ? t("settings.savePartly") : failedTitle(changed, t), first.error);
  }

  return { save: useOneAtATime(save), isSaving: isPending };
}

/**
 * Ignores a second click on "save" immediately; `isSaving` disables the button only after the next
 * render.
 */
function useOneAtATime(save: OptionDrafts["save"]): OptionDrafts["save"] {
  const isBusy = useRef(false);
  return async (names) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await save(names);
    } finally {
      isBusy.current = false;
    }
  };
}

/**
 * Takes the bot-check token to send. Undefined: the check is not passed yet, which a toast says.
 */
function tokenOf(take: BotCheck["take"]): string | undefined {
  try {
    return take();
  } catch (error) {
    toastError(error);
    return undefined;
  }
}

/** Returns the title of the toast that says that every option of a section was refused. */
function failedTitle(names: readonly OptionName[], t: T): string {
  const areGroups = names.every((name) => groupNames.some((group) => group === name));
  return areGroups ? t("settings.groupsFailed") : t("settings.saveFailed");
}

/**
 * Scrolls to an option and focuses its control. `OptionField` puts the option's name into the
 * attribute `data-option`.
 */
function showField(name: OptionName | undefined): void {
  const field = document.querySelector<HTMLElement>(`[data-option="${name}"]`);
  field?.scrollIntoView({ block: "nearest" });
  field?.querySelector<HTMLElement>("input, textarea, [contenteditable]")?.focus();
}

function without<Map extends Partial<Record<OptionName, string>>>(
  map: Map,
  names: readonly OptionName[],
): Map {
  const rest = { ...map };
  for (const name of names) delete rest[name];
  return rest;
}

function namesOf(map: OptionTextMap): OptionName[] {
  // Safe cast: `change` is the only writer and takes only names of options.
  return Object.keys(map) as OptionName[];
}
