import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { demoModel } from "@tollgate/contract/endpoints/demo-calls.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Claim, Front, FrontRoom } from "#ui/layout/Front.tsx";
import { dollarPlaces, type ModelPrice, modelPrices } from "#widgets/money/model-prices.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useSelfUse, useSession, useStatus, useStatusState } from "#widgets/server/use-status.ts";
import { pricingQuery } from "#widgets/money/pricing-query.ts";
import { CallReceipt } from "./CallReceipt.tsx";
import { FirstSteps } from "./FirstSteps.tsx";
import { useHasKey, useLastCalls } from "./home.api.ts";
import { ModelShelf } from "./ModelShelf.tsx";
import type { CallSource, PassedCall } from "./passed-call.ts";
import { PassingCalls } from "./PassingCalls.tsx";
import { recordingIn } from "./recording.ts";
import { firstChatModel } from "./shelf.ts";
import { TourButton } from "./TourButton.tsx";
import { TrialPanel } from "./TrialPanel.tsx";
import { type LaneEntry, useLane } from "./use-lane.ts";
import { ownOutputMax, type Trial, useTrial } from "./use-trial.ts";

/** The group whose prices visitors see who are not signed in. */
const visitorGroup = "default";

/**
 * The home page of the product: what it is, a call to try, the last calls with their charges, the
 * models with their prices, and the first steps. Shown without waiting for the server.
 */
export function DefaultHome() {
  const session = useSession();
  const status = useStatus();
  const isSelfUse = useSelfUse();
  const recording = recordingIn(useLanguage());
  const prices = usePrices();
  const firstModel = firstChatModel(prices);
  const isStatusRead = useStatusState().kind !== "loading";
  const source = sourceOf(session !== null, status?.demo_calls_enabled === true);
  const origin = serverUrlOf(status?.server_address, ownAddress());
  const [isPaused, setPaused] = useState(false);
  const { trial, send, stop } = useTrial();
  const strip = useStrip(source, status?.demo_calls_enabled === true, trial);
  const lane = useLane(strip, trial, isPaused);
  // Until the status is read it is unknown whose calls a visitor sees.
  const entries = strip === "own" || isStatusRead ? lane : undefined;
  const hasKey = useHasKey(session !== null) === true;
  // A demo shows everybody the same model first, whoever pays.
  const model = status?.demo_calls_enabled === true ? demoModel : firstModel?.model;

  const { shown, pick } = useShown(strip, entries, trial);

  return (
    <Front>
      {status?.setup === false && <HowToSetUp />}
      <FrontRoom split="even">
        <Hero />
        <TrialPanel
          origin={origin}
          source={source}
          isSignedIn={session !== null}
          model={model}
          costMax={costMaxOf(firstModel)}
          trial={trial}
          onSend={(question) => send({ source, model: model ?? "", question, recording })}
          onStop={stop}
        />
      </FrontRoom>
      <PassingCalls
        source={strip}
        entries={entries}
        chosen={shown}
        onChoose={pick}
        isPassing={trial.state === "running"}
        passing={{
          model: source === "recording" ? recording.call.model : (model ?? ""),
          pieces: trial.pieces,
        }}
        isPaused={isPaused}
        onPause={setPaused}
      />
      {shown !== null && <CallReceipt source={strip} call={shown} />}
      {!isSelfUse && <ModelShelf prices={prices} />}
      <FirstSteps
        origin={origin}
        progress={{
          hasModel: firstModel !== undefined,
          hasKey,
          hasCall: strip === "own" && shown !== null,
        }}
      />
    </Front>
  );
}

/**
 * The call whose bill is shown: the first one that is known, until a call is made here or picked
 * from the lane.
 */
function useShown(
  source: CallSource,
  entries: readonly LaneEntry[] | undefined,
  { state, turn, lastCall }: Trial,
): { readonly shown: PassedCall | null; readonly pick: (call: PassedCall) => void } {
  type Kept = { readonly source: CallSource; readonly turn: number; readonly call: PassedCall };
  const [first, setFirst] = useState<Kept | null>(null);
  const [picked, setPicked] = useState<Kept | null>(null);
  const newest = entries?.find(({ call }) => call !== null)?.call ?? null;
  if (newest !== null && first?.source !== source) setFirst({ source, turn, call: newest });
  // A call that is picked while another one is made counts as picked before that one.
  const now = state === "running" ? turn - 1 : turn;
  const isPicked =
    picked !== null && picked.source === source && (lastCall === null || picked.turn === now);
  return {
    shown: isPicked ? picked.call : (lastCall ?? (first?.source === source ? first.call : null)),
    pick: (call) => setPicked({ source, turn: now, call }),
  };
}

function Hero() {
  const t = useT();
  const session = useSession();
  const status = useStatus();
  const isSelfUse = useSelfUse();
  return (
    <header className="flex flex-col items-start gap-5">
      <p className="text-lg font-semibold">{status?.system_name || "Tollgate"}</p>
      <Claim>{t("home.claim")}</Claim>
      <p className="text-lg">
        <Muted>{t("home.intro")}</Muted>
      </p>
      <div className="flex flex-wrap gap-2">
        {/* Nobody can sign in before the setup, and the banner says what comes first. */}
        {status?.setup !== false && (
          <LinkButton to={session === null ? "/login" : "/token"} variant="primary">
            {session === null ? t("home.signIn") : t("home.console")}
          </LinkButton>
        )}
        {session === null && status?.demo_tour_enabled === true && <TourButton />}
        {!isSelfUse && <LinkButton to="/pricing">{t("home.pricing")}</LinkButton>}
        {status !== undefined && status.docs_link !== "" && (
          <LinkButton href={status.docs_link}>{t("home.docs")}</LinkButton>
        )}
      </div>
    </header>
  );
}

function HowToSetUp() {
  const t = useT();
  return (
    <FrontRoom>
      <Banner tone="warning" title={t("home.notSetUp")}>
        <p>{t("home.notSetUpBody")}</p>
        <p>
          <Command text={t("home.notSetUpDemo")} command="npm start -- --demo" />
        </p>
        <LinkButton to="/setup" variant="primary">
          {t("home.notSetUpPaste")}
        </LinkButton>
      </Banner>
    </FrontRoom>
  );
}

/** A text in which a command stands on one line. */
function Command({ text, command }: { readonly text: string; readonly command: string }) {
  const [before = "", after = ""] = text.split(command);
  return (
    <>
      {before}
      <code className="font-mono text-[0.95em] whitespace-nowrap">{command}</code>
      {after}
    </>
  );
}

/** The models of this gateway with their prices for the reader; empty until they are read. */
function usePrices(): readonly ModelPrice[] {
  const { data: pricing } = useQuery(pricingQuery);
  const { quotaPerUnit } = useQuotaDisplay();
  const group = useSession()?.group ?? visitorGroup;
  return useMemo(
    () => (pricing === undefined ? [] : modelPrices(pricing, group, quotaPerUnit)),
    [pricing, group, quotaPerUnit],
  );
}

function sourceOf(isSignedIn: boolean, hasDemo: boolean): CallSource {
  if (isSignedIn) return "own";
  return hasDemo ? "demo" : "recording";
}

/**
 * Whose calls pass: on a demo, a user who has made no call yet still sees the demo's, as before
 * signing up.
 */
function useStrip(source: CallSource, hasDemo: boolean, trial: Trial): CallSource {
  const { data: own } = useLastCalls(source === "own" && hasDemo ? "own" : "recording", false);
  const hasOwn = own === undefined || own.length > 0;
  const tries = trial.lastCall !== null || trial.state === "running";
  return source === "own" && hasDemo && !hasOwn && !tries ? "demo" : source;
}

/** An upper limit of the input tokens of a question. */
const inputMax = 200;

/** The most that a call of one's own may cost; null: unknown. */
function costMaxOf(price: ModelPrice | undefined): string | null {
  if (price?.kind !== "tokens") return null;
  const cost = price.input * BigInt(inputMax) + price.output * BigInt(ownOutputMax);
  return `$${(Number(cost) / 10 ** dollarPlaces).toFixed(6)}`;
}
