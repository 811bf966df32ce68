/** Where the steps of root's checklist lead, and what they say. Pure functions. */

import {
  type MarkedStep,
  markedSteps,
  type SetupChecklist,
  type SetupStep,
} from "@tollgate/contract/endpoints/checklist.ts";
import { showQuota, type QuotaDisplay } from "#display/quota.ts";
import { showTime } from "#display/time.ts";
import type { T, TextKey } from "#i18n/t.ts";

type Target = {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The section or option to scroll to. */
  readonly hash?: string;
};

type StepView = {
  readonly text: string;
  /** The link of the step; null: the step is carried out in its place. */
  readonly link: { readonly label: string; readonly target: Target } | null;
};

export const stepTitles: Readonly<Record<SetupStep, TextKey>> = {
  provider: "start.provider",
  prices: "start.prices",
  token: "start.token",
  call: "start.call",
  users: "start.users",
  address: "start.address",
  mail: "start.mail",
  second_factor: "start.secondFactor",
  backup: "start.backup",
};

const option = (tab: string, hash: string): Target => ({ to: "/setting", search: { tab }, hash });

export function canBeMarked(step: SetupStep): step is MarkedStep {
  return markedSteps.some((each) => each === step);
}

type Given = {
  readonly list: SetupChecklist;
  readonly done: boolean;
  readonly display: QuotaDisplay;
  /** The address in the browser's address bar, without a path. */
  readonly origin: string;
  readonly t: T;
};

/** What a step says and where its button leads, in its present state. */
export const viewOf: Readonly<Record<SetupStep, (given: Given) => StepView>> = {
  provider({ list, done, t }) {
    const { enabled, unproven_id } = list.facts.provider;
    if (done) {
      return view(t("start.providerDone", { count: enabled }), t("start.channels"), {
        to: "/channel",
      });
    }
    return enabled === 0
      ? view(t("start.providerTodo"), t("start.addChannel"), newOne("/channel"))
      : view(t("start.providerUntested"), t("start.testChannel"), {
          to: "/channel",
          search: { open: `test-${unproven_id}` },
        });
  },

  prices({ list, done, t }) {
    const { models, unpriced } = list.facts.prices;
    const offered = { to: "/prices", search: { show: "offered" } };
    if (done) return view(t("start.pricesDone", { count: models }), t("start.seePrices"), offered);
    return models === 0
      ? view(t("start.pricesEmpty"), t("start.seePrices"), { to: "/prices" })
      : view(t("start.pricesTodo", { count: unpriced }), t("start.setPrices"), {
          to: "/prices",
          search: { show: "unpriced" },
        });
  },

  token({ list, done, t }) {
    return done
      ? view(t("start.tokenDone", { count: list.facts.token.count }), t("start.tokens"), {
          to: "/token",
        })
      : view(t("start.tokenTodo"), t("start.newToken"), newOne("/token"));
  },

  call({ list, done, display, t }) {
    const { count, quota } = list.facts.call;
    const cost = showQuota(quota, display);
    return done
      ? view(t("start.callDone", { count, cost }), t("start.logs"), { to: "/log" })
      : view(t("start.callTodo"), t("start.playground"), { to: "/playground" });
  },

  users({ list, done, display, t }) {
    const { open, quota } = list.facts.users;
    const balance = showQuota(quota, display);
    const start = option("operation", "QuotaForNewUser");
    if (!open) {
      const target = option("system", "RegisterEnabled");
      return view(t("start.usersClosed"), t("start.change"), target);
    }
    return done
      ? view(t("start.usersDone", { balance }), t("start.change"), start)
      : view(t("start.usersTodo", { balance }), t("start.setBalance"), start);
  },

  address({ list, origin, t }) {
    const { server_address } = list.facts.address;
    const target = option("system", "ServerAddress");
    return server_address === ""
      ? view(t("start.addressTodo", { origin }), t("start.setAddress"), target)
      : view(server_address, t("start.change"), target);
  },

  mail({ list, t }) {
    const { server } = list.facts.mail;
    return server === ""
      ? view(t("start.mailTodo"), t("start.setMail"), option("system", "mail"))
      : view(server, t("start.change"), option("system", "mail"));
  },

  second_factor({ list, t }) {
    const target = option("personal", "security");
    return list.facts.second_factor.on
      ? view(t("start.secondFactorDone"), t("start.change"), target)
      : view(t("start.secondFactorTodo"), t("start.setSecondFactor"), target);
  },

  backup({ list, done, t }) {
    const { dialect, key_file } = list.facts.backup;
    const time = showTime(list.marked.backup ?? 0, "–");
    if (done) return { text: t("start.backupDone", { time }), link: null };
    const database = t(dialect === "sqlite" ? "start.backupSqlite" : "start.backupPostgres");
    const key = key_file === "" ? "TOLLGATE_SECRET_KEY" : key_file;
    return { text: t("start.backupTodo", { key, database }), link: null };
  },
};

function view(text: string, label: string, target: Target): StepView {
  return { text, link: { label, target } };
}

function newOne(to: string): Target {
  return { to, search: { open: "new" } };
}
