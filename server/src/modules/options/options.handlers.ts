import { type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { showField } from "@tollgate/contract/kinds/kinds.ts";
import * as contract from "@tollgate/contract/options/options.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle, reply, withExtras } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { checkOpening } from "./opening-rules.ts";
import { checkClear, checkOption } from "./option-rules.ts";
import { type Options, type OptionTrial, storedText } from "./options.ts";
import type { optionStore } from "./options.store.ts";

type OptionDeps = {
  readonly options: Options;
  /** The price list in force. */
  readonly prices: () => PriceList;
  readonly store: RemoteStore<typeof optionStore>;
  readonly secrets: Secrets;
  /**
   * Tests a new value before it is saved, if a wrong one would do harm immediately.
   * @throws Refusal if the test fails.
   */
  readonly probe: (trial: OptionTrial) => Promise<void>;
  /** Whether a user has a second factor. */
  readonly hasSecondFactor: (userId: number) => Promise<boolean>;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for options. */
export function optionHandlers(deps: OptionDeps): Handler[] {
  const { options, store, secrets, now, applyChanges } = deps;
  const isSet = (key: contract.StoredOptionName): boolean =>
    contract.showOption(key, options.read(key)) !== "";
  return [
    handle(contract.listOptions, async () =>
      withExtras(listed(deps), { secrets_set: contract.secretOptions.filter(isSet) }),
    ),

    handle(contract.updateOption, async ({ key, value, clear, turnstile_token }, caller) => {
      if (!contract.isOptionName(key)) throw new Refusal("invalid-input", `未知的选项：${key}`);
      const parsed = contract.parseOption(key, clear ? "" : value);
      if (!parsed.ok) throw new Refusal("invalid-input", parsed.message);
      if (clear) checkClear(options.read, key);
      checkOption(options.read, key, parsed.value);
      await checkOpening(options.read, key, parsed.value, () =>
        deps.hasSecondFactor(caller.userId),
      );
      await deps.probe({ key, value: parsed.value, turnstileToken: turnstile_token });
      const save = { actor: actorOf(caller), nowMs: now() };
      if (contract.isPriceOption(key)) {
        const parts = priceList.partial().parse({ [key]: parsed.value });
        await store.savePrices({ ...save, parts: present(parts) });
      } else {
        const definition = contract.options[key];
        const text = showField(definition, parsed.value);
        if (definition.secret && text === "" && !clear) return;
        await store.saveOption({ ...save, key, value: storedText(definition, key, text, secrets) });
      }
      await applyChanges();
    }),

    handle(contract.resetModelRatio, async (_, caller) => {
      const parts = { ModelRatio: defaultPriceList.ModelRatio };
      await store.savePrices({ parts, actor: actorOf(caller), nowMs: now() });
      await applyChanges();
      return reply(undefined, { extras: undefined, message: "重置模型倍率成功" });
    }),
  ];
}

function listed({ options, prices }: OptionDeps): contract.ListedOption[] {
  const list = prices();
  return Object.keys(contract.options)
    .filter(contract.isOptionName)
    .filter((key) => !contract.options[key].secret)
    .map((key) => ({
      key,
      value: contract.isPriceOption(key)
        ? contract.showOption(key, list[key] ?? {})
        : contract.showOption(key, options.read(key)),
    }));
}

/** Drops the parts of a price list that are undefined. */
function present(parts: { [Part in keyof PriceList]?: PriceList[Part] | undefined }) {
  // The cast is safe because only undefined values are removed.
  return Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== undefined),
  ) as Partial<PriceList>;
}
